import { describe, expect, it } from 'vitest';
import type { CallMiddleware, ToolInvocation } from '../../src/index.js';
import { composeCalls } from '../../src/mcp/call-middleware.js';
import type { CallToolResult } from '../../src/mcp/types.js';

const call: ToolInvocation = {
  toolName: 'mcp__shop__stock',
  server: 'shop',
  input: { product: 'hammer' },
  toolUseId: 'toolu_1',
  sessionId: undefined,
  signal: new AbortController().signal,
};

const say = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const run = async (input: object): Promise<CallToolResult> => say(JSON.stringify(input));

function through(middleware: CallMiddleware[], tool = run): Promise<CallToolResult> {
  const composed = composeCalls(middleware, 'toolMiddleware');
  if (composed === undefined) throw new Error('There is no middleware.');
  return composed(call, tool);
}

describe('call middleware', () => {
  it('is entered in the order of the list and left in the opposite order', async () => {
    const order: string[] = [];
    const layer =
      (name: string): CallMiddleware =>
      async (_call, next) => {
        order.push(`into ${name}`);
        const result = await next();
        order.push(`out of ${name}`);
        return result;
      };
    await through([layer('one'), layer('two')]);
    expect(order).toEqual(['into one', 'into two', 'out of two', 'out of one']);
  });

  it('may change the input for those further in, and the result for those further out', async () => {
    const seen: unknown[] = [];
    const result = await through([
      async (_call, next) => ({ ...(await next({ product: 'saw' })), isError: true }),
      (entered, next) => {
        seen.push(entered.input);
        return next();
      },
    ]);
    expect(seen).toEqual([{ product: 'saw' }]);
    expect(result).toEqual({ ...say('{"product":"saw"}'), isError: true });
  });

  it('may answer in place of the tool, which then does not run', async () => {
    let runs = 0;
    const result = await through([() => say('from memory')], async () => {
      runs += 1;
      return say('');
    });
    expect(result).toEqual(say('from memory'));
    expect(runs).toBe(0);
  });

  it('runs a tool once: a second next() is an error that names the option', async () => {
    let runs = 0;
    const twice: CallMiddleware = async (_call, next) => {
      await next();
      return next();
    };
    const counting = async (): Promise<CallToolResult> => {
      runs += 1;
      return say('');
    };
    await expect(through([twice], counting)).rejects.toThrow(/`toolMiddleware`: next\(\) was called twice/);
    expect(runs).toBe(1);
  });

  it('hands on what it and the tool throw, at once or later', async () => {
    const atOnce: CallMiddleware = () => {
      throw new Error('at once');
    };
    await expect(through([(_call, next) => next(), atOnce])).rejects.toThrow('at once');
    const fails = async (): Promise<never> => Promise.reject(new Error('the tool'));
    await expect(through([(_call, next) => next()], fails)).rejects.toThrow('the tool');
  });

  it('must return a result: one that forgot to is an error, not an empty answer', async () => {
    const forgets: CallMiddleware = async (_call, next) => {
      await next();
      return undefined as never;
    };
    await expect(through([forgets])).rejects.toThrow(/`toolMiddleware`: a middleware must return a result/);
  });

  it('is nothing at all where there is none, and is checked where it is given', () => {
    for (const none of [undefined, null, []]) expect(composeCalls(none, 'toolMiddleware')).toBeUndefined();
    expect(() => composeCalls([7] as never, 'toolMiddleware')).toThrow(
      'The option `toolMiddleware` must be an array of functions (call, next) => result.',
    );
  });

  it('is the list as it was given: what is added to it later does not count', async () => {
    const list: CallMiddleware[] = [(_call, next) => next()];
    const composed = composeCalls(list, 'toolMiddleware');
    list.push(() => say('late'));
    expect(await composed?.(call, run)).toEqual(say('{"product":"hammer"}'));
  });
});

/** Agents that are no process: mistakes are found at the door, and no error blames a process (pain 5). */
import { describe, expect, it } from 'vitest';
import { OptionError, type Options, query } from '../../src/index.js';
import type { Transport } from '../../src/protocol/index.js';
import { embedded, serveRuntime } from '../../src/runtime/index.js';
import * as portable from '../../src/runtime/portable.js';
import { apiError, scriptedModel } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';

const model = () => scriptedModel(['Hello.']);

async function errorOf(options: Options): Promise<Error & { code: string }> {
  const { error } = await collect(query({ prompt: 'Go.', options }));
  return error as Error & { code: string };
}

describe('no error of an agent in this process names Claude Code', () => {
  const cases: [what: string, options: () => Options, code: string, message: RegExp][] = [
    [
      'a flag that it does not know',
      () => ({ runtime: embedded({ model: model() }), extraArgs: { nope: 'x' } }),
      'BAD_FLAG',
      /^The embedded runtime ended with code 1\. stderr: error: unknown option '--nope' .*leave out.*`extraArgs`/,
    ],
    [
      'a session id that is none',
      () => ({ runtime: embedded({ model: model() }), sessionId: 'x' }),
      'EXITED',
      /^The embedded runtime ended with code 1\. stderr: Error: Invalid session ID: "x" is not a UUID\.$/,
    ],
    [
      'a conversation that does not exist',
      () => ({
        runtime: embedded({ model: model() }),
        resume: '00000000-0000-4000-8000-000000000000',
      }),
      'RESULT_ERROR',
      /^The embedded runtime returned an error result: No conversation found/,
    ],
    [
      'a model that fails',
      () => ({ runtime: embedded({ model: scriptedModel([apiError(500, 'api_error', 'boom')]) }) }),
      'RESULT_ERROR',
      /^The embedded runtime returned an error result: API Error: 500 boom$/,
    ],
    [
      'a runtime of your own that ends',
      () => ({ runtime: { open: () => ending(3) } }),
      'EXITED',
      /^The agent ended with code 3\. It wrote nothing to stderr\.$/,
    ],
    [
      'a transport that ends without a result',
      () => ({ transport: () => ending(0) }),
      'NO_RESULT',
      /^The agent ended without a result\. It wrote nothing to stderr\.$/,
    ],
    [
      'a transport that throws',
      () => ({
        transport: () => {
          throw new Error('no route');
        },
      }),
      'SPAWN_FAILED',
      /^The agent could not be started: no route$/,
    ],
    [
      'a transport that is silent',
      () => ({ transport: () => silent(), startupTimeoutMs: 1 }),
      'STARTUP_TIMEOUT',
      /^The agent wrote nothing for 1 ms after its start\./,
    ],
  ];

  it.each(cases)('%s', async (_, options, code, message) => {
    const error = await errorOf(options());
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('Claude Code');
  });
});

describe('a mistake is an error that names the option and the remedy', () => {
  const wrong: [what: string, make: () => unknown, value: unknown, message: string][] = [
    ['embedded()', () => (embedded as () => unknown)(), undefined, 'it is missing'],
    ['embedded({})', () => embedded({} as never), undefined, 'it is missing'],
    ['embedded(null)', () => embedded(null as never), undefined, 'it is missing'],
    ['a name instead of a model', () => embedded({ model: 'opus' } as never), 'opus', 'it is "opus"'],
    [
      'a model without stream()',
      () => embedded({ model: { name: 'x' } } as never),
      { name: 'x' },
      'it is an object',
    ],
    ['the portable embedded({})', () => portable.embedded({} as never), undefined, 'it is missing'],
    [
      'serveRuntime() without a model',
      () => serveRuntime(silent(), {} as never, {} as never),
      undefined,
      'it is missing',
    ],
  ];

  it.each(wrong)('%s', (_, make, value, message) => {
    expect(make).toThrow(OptionError);
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option: 'model', value }));
    expect(make).toThrow(message);
    expect(make).toThrow('embedded({ model: anthropic() })');
  });

  it('a model given to embedded() as it is', () => {
    expect(() => embedded(model() as never)).toThrow('Write embedded({ model: … }) around the model.');
  });

  const runtimes: [what: string, value: unknown][] = [
    ['a model', model()],
    ['the function embedded', embedded],
    ['a name', 'embedded'],
  ];

  it.each(runtimes)('`runtime` that is %s', (_, runtime) => {
    const start = () => query({ prompt: 'Go.', options: { runtime: runtime as never } });
    expect(start).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option: 'runtime' }));
    expect(start).toThrow('must be embedded({ model }), or { open(start) }');
  });

  it.each(['runtime', 'transport'])('`%s` that opens nothing', (option) => {
    const open = () => undefined as never;
    const options = option === 'runtime' ? { runtime: { open } } : { transport: open };
    const start = () => query({ prompt: 'Go.', options });
    expect(start).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }));
    expect(start).toThrow('must return a transport');
  });
});

function silent(): Transport {
  return {
    pid: undefined,
    start: () => {},
    send: () => true,
    drained: async () => {},
    pause: () => {},
    resume: () => {},
    endInput: () => {},
    stop: async () => {},
  };
}

function ending(code: number): Transport {
  return { ...silent(), start: (receiver) => queueMicrotask(() => receiver.end({ code, signal: null })) };
}

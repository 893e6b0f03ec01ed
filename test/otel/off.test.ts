/** Without a tracer nothing of all this is there, and no call does any work for it (R59). */
import { propagation } from '@opentelemetry/api';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type AgentTracer,
  createSdkMcpServer,
  OptionError,
  type Options,
  query,
  tool,
} from '../../src/index.js';
import { type OtelOptions, otel } from '../../src/otel/index.js';
import type { Transport, TransportReceiver } from '../../src/protocol/index.js';
import { type AgentRuntime, embedded, type Model } from '../../src/runtime/index.js';
import { scriptedModel, toolUse } from '../../src/testing/index.js';
import { collect, sandbox } from '../support/real-cli.js';
import { Recorded, registerContext } from './support.js';

/** Where our own code is called from, with everything that was awaited on the way. */
function pathHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 200;
  const path = new Error('path').stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  return path;
}

describe('a conversation without a tracer', () => {
  it('uses the very transport that the runtime gave (R59)', async () => {
    const between = async (options: Options): Promise<number> => {
      const paths: string[] = [];
      let owner: TransportReceiver | undefined;
      const transport: Transport = {
        pid: undefined,
        start: (receiver) => {
          paths.push(pathHere());
          owner = receiver;
        },
        send: () => {
          paths.push(pathHere());
          return true;
        },
        drained: async () => {},
        endInput: () => {},
        pause: () => {},
        resume: () => {},
        stop: async () => owner?.end({ code: 0, signal: null }),
      };
      const runtime: AgentRuntime = { open: () => transport };
      const run = query({ prompt: 'Go.', options: { ...options, runtime } });
      await run.close();
      expect(paths.length).toBeGreaterThan(2);
      return paths.filter((path) => /query\/trace\.ts|wrap-transport/.test(path)).length;
    };
    expect(await between({})).toBe(0);
    // That the path would show it:
    expect(await between({ tracer: otel(new Recorded().providers) })).toBeGreaterThan(2);
  });

  it('calls tools and models as if there was no such thing: no middleware, no wrapper (R59)', async () => {
    const through = async (options: Options): Promise<string[][]> => {
      await using box = sandbox();
      const scripted = scriptedModel([toolUse('mcp__shop__stock'), 'Eight.']);
      const [models, handlers]: [string[], string[]] = [[], []];
      const model: Model = {
        name: 'mine',
        stream: (request, asked) => {
          models.push(pathHere());
          return scripted.stream(request, asked);
        },
      };
      const stock = tool('stock', 'How many.', {}, async () => {
        handlers.push(pathHere());
        return 'eight';
      });
      const { error } = await collect(
        query({
          prompt: 'Go.',
          options: {
            ...options,
            runtime: embedded({ model }),
            mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [stock] }) },
            allowedTools: ['mcp__shop__stock'],
            cwd: box.cwd,
            env: box.env(),
          },
        }),
      );
      expect(error).toBeUndefined();
      expect([models.length, handlers.length]).toEqual([2, 1]);
      const ours = /runtime\/traced\.ts|options\/tracer\.ts|src\/otel\/|call-middleware\.ts/;
      return [models, handlers].map((paths) => paths.filter((path) => ours.test(path)));
    };
    expect(await through({})).toEqual([[], []]);
    const traced = await through({ tracer: otel(new Recorded().providers) });
    expect(traced.map((paths) => paths.length)).toEqual([2, 1]);
  });

  afterEach(() => propagation.disable());

  it('asks a propagator once for the agent and once for each call, and only if one is registered (R59)', async () => {
    registerContext();
    propagation.disable();
    let asked = 0;
    propagation.setGlobalPropagator({
      inject: () => {
        asked += 1;
      },
      extract: (given) => given,
      fields: () => [],
    });
    await using box = sandbox();
    const model = scriptedModel([toolUse('mcp__shop__stock'), toolUse('mcp__shop__stock'), 'Eight.']);
    const stock = tool('stock', 'How many.', {}, async () => 'eight');
    await collect(
      query({
        prompt: 'Go.',
        options: {
          runtime: embedded({ model }),
          mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [stock] }) },
          allowedTools: ['mcp__shop__stock'],
          cwd: box.cwd,
          env: box.env(),
        },
      }),
    );
    expect(asked).toBe(3);
  });
});

describe('otel()', () => {
  it.each<[string, unknown, RegExp]>([
    ['content', { content: 'yes' }, /`content` must be true, false or \{ messages\?.*it is "yes"/],
    ['content', { content: { prompts: true } }, /`content` must be/],
    ['agentName', { agentName: '' }, /`agentName` must be a string that is not empty/],
    ['tracerProvider', { tracerProvider: {} }, /a TracerProvider of OpenTelemetry/],
    ['meterProvider', { meterProvider: 5 }, /a MeterProvider of OpenTelemetry; it is 5/],
    ['contents', { contents: true }, /no option `contents`\. It has: agentName, content/],
    ['options', 'all', /an object, or nothing/],
  ])('refuses a wrong %s, and says what it must be (R59)', (name, options, message) => {
    let thrown: unknown;
    try {
      otel(options as OtelOptions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OptionError);
    expect((thrown as OptionError).option).toBe(name);
    expect((thrown as OptionError).message).toMatch(message);
  });

  it('is what options.tracer takes; a tracer of OpenTelemetry itself is not (R59)', () => {
    expectTypeOf(otel({ content: { messages: true } })).toExtend<AgentTracer>();
    expectTypeOf<NonNullable<Options['tracer']>>().toEqualTypeOf<AgentTracer>();
    const tracer = new Recorded().tracerProvider.getTracer('mine') as unknown as AgentTracer;
    expect(() => query({ prompt: 'Go.', options: { tracer } })).toThrow(
      /`tracer` must be otel\(\) of tenon\/otel/,
    );
  });
});

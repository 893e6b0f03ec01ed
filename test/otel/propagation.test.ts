/** The active trace goes into the CLI's environment exactly as the official SDK sends it (R59, point 1). */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  type Context,
  context,
  createTraceState,
  propagation,
  type SpanContext,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as tenon from '../../src/index.js';
import { activeTraceHeaders } from '../../src/protocol/base/trace-context.js';
import { fakeCli } from '../support/fake-cli.js';

const entry = createRequire(new URL('../reference/package.json', import.meta.url)).resolve(
  '@anthropic-ai/claude-agent-sdk',
);
const official = (await import(pathToFileURL(entry).href)) as typeof tenon;

const span: SpanContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: 1,
};
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const stated = { ...span, traceState: createTraceState('a=1,b=2') };
const BOTH = new CompositePropagator({
  propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
});

interface Case {
  /** Undefined: no span is active. */
  active?: SpanContext;
  baggage?: boolean;
  propagator?: TextMapPropagator | 'none';
  host?: Record<string, string>;
  env?: Record<string, string | undefined>;
}

const writes = (headers: Record<string, string>): TextMapPropagator => ({
  inject: (_, carrier, setter) => {
    for (const [name, value] of Object.entries(headers)) setter.set(carrier, name, value);
  },
  extract: (given) => given,
  fields: () => Object.keys(headers),
});
const HOST = { TRACEPARENT: 'of the host', TRACESTATE: 'host=1', BAGGAGE: 'of=host' };

const CASES: Record<string, [Case, Record<string, string>]> = {
  'no span is active': [{}, {}],
  'no propagator is registered': [{ active: span, propagator: 'none' }, {}],
  'a span is active': [{ active: span }, { TRACEPARENT: traceparent }],
  'a span that is not sampled': [
    { active: { ...span, traceFlags: 0 } },
    { TRACEPARENT: traceparent.replace(/1$/, '0') },
  ],
  'a span that is invalid': [{ active: { ...span, spanId: '0000000000000000' } }, {}],
  'a state': [{ active: stated }, { TRACEPARENT: traceparent, TRACESTATE: 'a=1,b=2' }],
  baggage: [
    { active: span, baggage: true },
    { TRACEPARENT: traceparent, BAGGAGE: 'user=me%20too' },
  ],
  'baggage without a span': [{ baggage: true }, { BAGGAGE: 'user=me%20too' }],
  'options.env without it': [
    { active: stated, env: {} },
    { TRACEPARENT: traceparent, TRACESTATE: 'a=1,b=2' },
  ],
  'TRACEPARENT in options.env': [
    { active: stated, env: { TRACEPARENT: 'mine' } },
    { TRACEPARENT: 'mine', TRACESTATE: 'a=1,b=2' },
  ],
  'TRACESTATE in options.env': [
    { active: span, env: { TRACESTATE: 'mine=1' } },
    { TRACEPARENT: traceparent, TRACESTATE: 'mine=1' },
  ],
  'BAGGAGE in options.env': [
    { active: span, baggage: true, env: { BAGGAGE: 'mine=1' } },
    { TRACEPARENT: traceparent, BAGGAGE: 'mine=1' },
  ],
  'an empty TRACEPARENT in options.env': [{ active: span, env: { TRACEPARENT: '' } }, { TRACEPARENT: '' }],
  'TRACEPARENT: undefined in options.env': [{ active: span, env: { TRACEPARENT: undefined } }, {}],
  'a name in small letters in options.env': [
    { active: span, env: { traceparent: 'mine' } },
    { TRACEPARENT: traceparent, traceparent: 'mine' },
  ],
  'a trace that the host has inherited': [
    { active: span, host: HOST },
    { TRACEPARENT: traceparent, BAGGAGE: 'of=host' },
  ],
  'the same, with a state of its own': [
    { active: stated, host: HOST },
    { TRACEPARENT: traceparent, TRACESTATE: 'a=1,b=2', BAGGAGE: 'of=host' },
  ],
  'an inherited trace and no span': [{ host: HOST }, HOST],
  'an inherited trace and options.env': [{ active: span, host: HOST, env: {} }, { TRACEPARENT: traceparent }],
  'an inherited trace and baggage only': [
    { baggage: true, host: HOST },
    { ...HOST, BAGGAGE: 'user=me%20too' },
  ],
  'another propagator': [
    { active: span, propagator: writes({ b3: '1-2-3', 'x-odd': 'yes', 'X.odd': 'dot' }) },
    { B3: '1-2-3', 'X-ODD': 'yes', 'X.ODD': 'dot' },
  ],
  'another propagator, with an inherited trace': [
    { active: span, propagator: writes({ b3: '1-2-3' }), host: HOST },
    { ...HOST, B3: '1-2-3' },
  ],
};

function activeContext({ active, baggage }: Case): Context {
  let made = context.active();
  if (active !== undefined) made = trace.setSpanContext(made, active);
  if (!baggage) return made;
  return propagation.setBaggage(made, propagation.createBaggage({ user: { value: 'me too' } }));
}

async function reported(sdk: typeof tenon, given: Case): Promise<unknown> {
  const { env } = given;
  const options = {
    pathToClaudeCodeExecutable: fakeCli('reports-trace'),
    ...(env === undefined ? {} : { env: { PATH: process.env.PATH, ...env } }),
  };
  const run = context.with(activeContext(given), () => sdk.query({ prompt: 'hi', options }));
  let said = '';
  for await (const message of run)
    if (message.type === 'result' && 'result' in message) said = message.result;
  return JSON.parse(said);
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  propagation.disable();
  for (const name of Object.keys(HOST)) delete process.env[name];
});

describe('the environment of the CLI', () => {
  it.each(Object.entries(CASES))('is that of the official SDK: %s (R59)', async (_, [given, expected]) => {
    if (given.propagator !== 'none') propagation.setGlobalPropagator(given.propagator ?? BOTH);
    Object.assign(process.env, given.host);
    const [theirs, ours] = await Promise.all([reported(official, given), reported(tenon, given)]);
    expect(theirs).toEqual(expected);
    expect(ours).toEqual(theirs);
  });

  it('has the trace that is active where an agent is opened, not where it is used, as in the official SDK (R59)', async () => {
    propagation.setGlobalPropagator(BOTH);
    const inSpan = activeContext({ active: span });
    const seen = async (sdk: typeof tenon): Promise<unknown[]> => {
      const options = { pathToClaudeCodeExecutable: fakeCli('reports-trace') };
      const said = async (run: AsyncIterable<tenon.SDKMessage>): Promise<unknown> => {
        for await (const message of run)
          if (message.type === 'result' && 'result' in message) return JSON.parse(message.result);
        return undefined;
      };
      const opened = await context.with(inSpan, () => sdk.startup({ options }));
      const other = await sdk.startup({ options });
      return [await said(opened.query('hi')), await context.with(inSpan, () => said(other.query('hi')))];
    };
    const [theirs, ours] = [await seen(official), await seen(tenon)];
    expect(theirs).toEqual([{ TRACEPARENT: traceparent }, {}]);
    expect(ours).toEqual(theirs);
  });

  it('is as ever if the propagator throws, and onDebug hears of it: a trace is no reason to fail (R59)', async () => {
    const inject = (): never => {
      throw new Error('I cannot write.');
    };
    propagation.setGlobalPropagator({ inject, extract: (given) => given, fields: () => [] });
    const told: tenon.DebugEvent[] = [];
    const run = tenon.query({
      prompt: 'hi',
      options: {
        pathToClaudeCodeExecutable: fakeCli('reports-trace'),
        onDebug: (event) => void told.push(event),
      },
    });
    expect(await run.done).toMatchObject({ result: '{}' });
    expect(told).toContainEqual({ kind: 'trace', message: 'the propagator threw: I cannot write.' });
  });
});

describe('what is registered with @opentelemetry/api', () => {
  it('is read without importing it: the shape of its global is the one that we know (inspector fact 6)', () => {
    propagation.setGlobalPropagator(BOTH);
    const registered = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
    expect(typeof registered.context.active).toBe('function');
    expect(typeof registered.propagation.inject).toBe('function');
    const carrier = {};
    context.with(activeContext({ active: stated, baggage: true }), () => {
      propagation.inject(context.active(), carrier);
      expect(activeTraceHeaders()).toEqual(carrier);
    });
    expect(Object.keys(carrier)).toEqual(['traceparent', 'tracestate', 'baggage']);
    expect(activeTraceHeaders()).toBeUndefined();
  });

  it('may be nothing: then there is nothing to do (inspector fact 6)', () => {
    const symbol = Symbol.for('opentelemetry.js.api.1');
    const before = Reflect.get(globalThis, symbol);
    Reflect.deleteProperty(globalThis, symbol);
    expect(activeTraceHeaders()).toBeUndefined();
    Reflect.set(globalThis, symbol, before);
  });
});

/** Every span ends exactly once, however a conversation ends, and a tracer never disturbs it (R59). */
import { SpanStatusCode } from '@opentelemetry/api';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentTracer,
  createSdkMcpServer,
  createSession,
  type DebugEvent,
  OptionError,
  type Options,
  type Query,
  query,
  startup,
  tool,
  warmPool,
} from '../../src/index.js';
import { otel } from '../../src/otel/index.js';
import { hang, toolUse, toolUses } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { collect, waitUntil } from '../support/real-cli.js';
import { isWithin, Recorded, registerContext } from './support.js';

beforeAll(registerContext);

const WAIT = 'mcp__shop__wait';

/** A tool that never answers, whatever happens. */
function waiting(recorded: Recorded): { options: Options; runs: () => number } {
  let runs = 0;
  const never = tool('wait', 'Waits.', {}, () => {
    runs += 1;
    return new Promise<string>(() => {});
  });
  const options: Options = {
    tracer: otel({ ...recorded.providers, agentName: 'clerk' }),
    mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [never] }) },
    allowedTools: [WAIT],
  };
  return { options, runs: () => runs };
}

const errorsOf = (recorded: Recorded): Record<string, unknown> =>
  Object.fromEntries(
    recorded
      .spans()
      .filter(({ name }) => !name.startsWith('chat'))
      .map(({ name, attributes, status }) => {
        expect(status.code).toBe(SpanStatusCode.ERROR);
        return [name, attributes['error.type']];
      }),
  );

describe.each(BACK_ENDS)('the spans of $name', ({ start }) => {
  const ENDINGS: [string, (run: Query, abort: AbortController) => Promise<unknown>][] = [
    ['an interrupt', (run) => run.interrupt()],
    ['an abort', async (_, abort) => abort.abort()],
    ['close()', (run) => run.close()],
    ['the loop being left', (run) => run.return(undefined)],
  ];

  it.each(ENDINGS)('end with %s in the middle of two calls (R59)', async (_, end) => {
    await using agent = await start([toolUses([{ name: WAIT }, { name: WAIT }]), 'Never mind.']);
    const recorded = new Recorded();
    const { options, runs } = waiting(recorded);
    const abortController = new AbortController();
    const run = query({ prompt: 'Go.', options: agent.options({ ...options, abortController }) });
    const read = collect(run);
    await waitUntil(() => runs() > 0, { what: 'a handler to run' });
    await end(run, abortController);
    await run.close();
    await read;
    expect(errorsOf(recorded)).toEqual({
      'invoke_agent clerk': 'cancelled',
      [`execute_tool ${WAIT}`]: 'cancelled',
    });
  });

  it('end with an interrupt while the model is silent, and the next turn has its own (R59)', async () => {
    await using agent = await start([hang(), 'Again.']);
    const recorded = new Recorded();
    const session = createSession(agent.options(waiting(recorded).options));
    session.send('First.');
    await agent.player.waitForRequest(0);
    await session.query.interrupt();
    for await (const _ of session.stream());
    await session.ask('Second.');
    await session.close();
    const turns = recorded.spans().filter(({ name }) => name === 'invoke_agent clerk');
    expect(turns.map(({ attributes }) => attributes['error.type'])).toEqual(['cancelled', undefined]);
  });

  it('are those of each turn when messages come while one runs (R59)', async () => {
    await using agent = await start(['One.', 'Two.']);
    const recorded = new Recorded();
    const session = createSession(agent.options(waiting(recorded).options));
    await recorded.inSpan('first', async () => session.send('First.'));
    await recorded.inSpan('second', async () => session.send('Second.'));
    await waitUntil(() => agent.player.requests.length === 2 || isFolded(agent.sent()), { what: 'both' });
    for await (const message of session.stream()) if (message.type === 'result') break;
    await session.close();
    const turns = recorded.spans().filter(({ name }) => name === 'invoke_agent clerk');
    expect(isWithin(turns[0] as never, recorded.span('first'))).toBe(true);
    if (turns.length > 1) expect(isWithin(turns[1] as never, recorded.span('second'))).toBe(true);
  });

  it('are complete with streamed answers, and with a stream of prompts (R59)', async () => {
    await using agent = await start(['One.', 'Two.']);
    const recorded = new Recorded();
    let answered = (): void => {};
    const first = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const says = (content: string) =>
      ({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }) as const;
    async function* prompts() {
      yield says('First.');
      await first;
      yield says('Second.');
    }
    const options = agent.options({ ...waiting(recorded).options, includePartialMessages: true });
    for await (const message of query({ prompt: prompts(), options }))
      if (message.type === 'result') answered();
    const created = recorded.span('create_agent clerk');
    const turns = recorded.spans().filter(({ name }) => name === 'invoke_agent clerk');
    expect(turns.map((turn) => isWithin(turn, created))).toEqual([true, true]);
    expect(recorded.traceIds().size).toBe(1);
  });

  it('do not disturb it when the tracer throws; onDebug is told (R59)', async () => {
    const recorded = new Recorded();
    const bad = (): never => {
      throw new Error('I trace badly.');
    };
    const broken = {
      getTracer: () => ({ startSpan: bad, startActiveSpan: bad }),
    };
    const badly: AgentTracer = {
      given: bad,
      begin: () => ({ headers: undefined, ready: bad, frame: bad, call: bad, chat: bad, end: bad }),
    };
    for (const tracer of [otel({ tracerProvider: broken }), badly, { begin: bad }]) {
      await using agent = await start([toolUse('mcp__shop__stock'), 'Eight.']);
      const told: DebugEvent[] = [];
      let runs = 0;
      const stock = tool('stock', 'How many.', {}, async () => `eight ${++runs}`);
      const shop = createSdkMcpServer({ name: 'shop', tools: [stock] });
      const { error, messages } = await ask(
        agent.options({
          tracer,
          mcpServers: { shop },
          allowedTools: ['mcp__shop__stock'],
          onDebug: (event) => void told.push(event),
        }),
      );
      expect(error).toBeUndefined();
      expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Eight.' });
      expect(runs).toBe(1);
      expect(told).toContainEqual({ kind: 'trace', message: 'tracer threw: I trace badly.' });
    }
    expect(recorded.spans()).toEqual([]);
  });
});

function isFolded(sent: string): boolean {
  return sent.includes('First.') && sent.includes('Second.');
}

describe('the spans of an agent', () => {
  const [cli] = BACK_ENDS;

  it('end when its process is killed, with the reason (R59)', async () => {
    await using agent = await (cli as (typeof BACK_ENDS)[0]).start([toolUse(WAIT)]);
    const recorded = new Recorded();
    const { options, runs } = waiting(recorded);
    const run = query({ prompt: 'Go.', options: agent.options(options) });
    const read = collect(run);
    await waitUntil(() => runs() === 1, { what: 'the handler to run' });
    process.kill(run.pid as number, 'SIGKILL');
    const { error } = await read;
    const { code } = error as { code: string };
    expect(errorsOf(recorded)).toEqual({ 'invoke_agent clerk': code, [`execute_tool ${WAIT}`]: code });
  });

  it('end when it cannot be started, and when options are refused (R59)', async () => {
    const recorded = new Recorded();
    const tracer = otel(recorded.providers);
    const { error } = await collect(
      query({ prompt: 'Go.', options: { tracer, pathToClaudeCodeExecutable: '/no/such/program' } }),
    );
    expect(recorded.span('invoke_agent').attributes['error.type']).toBe((error as { code: string }).code);
    const other = new Recorded();
    const runtime = {
      open: (): never => {
        throw new OptionError('runtime', 1, 'Refused.');
      },
    };
    expect(() => query({ prompt: 'Go.', options: { tracer: otel(other.providers), runtime } })).toThrow(
      'Refused.',
    );
    expect(other.names()).toEqual(['invoke_agent']);
    const aborted = new Recorded();
    const signal = AbortSignal.abort();
    await collect(query({ prompt: 'Go.', options: { tracer: otel(aborted.providers), signal, runtime } }));
    expect(aborted.span('invoke_agent').attributes['error.type']).toBe('cancelled');
  });

  it('that was started before it was needed are its start, and turns in the trace that needs them (R59)', async () => {
    await using agent = await (cli as (typeof BACK_ENDS)[0]).start(['One.', 'Two.']);
    const recorded = new Recorded();
    const options = agent.options({ tracer: otel({ ...recorded.providers, agentName: 'clerk' }) });
    const warm = await startup({ options });
    await recorded.inSpan('request', async () => {
      for await (const _ of warm.query('Go.'));
    });
    const pool = warmPool(1, { options });
    await pool.filled();
    await recorded.inSpan('other request', async () => {
      for await (const _ of pool.query('Go.'));
    });
    await pool.close();
    const turns = recorded.spans().filter(({ name }) => name === 'invoke_agent clerk');
    expect(turns.map((turn) => turn.parentSpanContext?.spanId)).toEqual(
      ['request', 'other request'].map((name) => recorded.span(name).spanContext().spanId),
    );
    const created = recorded.spans().filter(({ name }) => name === 'create_agent clerk');
    expect(turns[0]?.links.map(({ context }) => context.spanId)).toEqual([created[0]?.spanContext().spanId]);
  });
});

/** One tap sees every frame of both directions, on both back ends, and costs nothing when nobody looks (R55). */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  type DebugEvent,
  type Frame,
  type FrameEvent,
  type FrameInfo,
  InMemorySessionStore,
  type Options,
  query,
  tool,
} from '../../src/index.js';
import {
  type Transport,
  type TransportReceiver,
  wrapReceiver,
  wrapTransport,
} from '../../src/protocol/index.js';
import type { AgentRuntime } from '../../src/runtime/index.js';
import { toolUse } from '../../src/testing/index.js';
import { RecordedProcess } from '../matrix/support/recorded-process.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const CHANNEL = 'tenon:frame';

interface Seen {
  frame: Frame;
  info: FrameInfo;
}

function watch(): { seen: Seen[]; onFrame: NonNullable<Options['onFrame']> } {
  const seen: Seen[] = [];
  return { seen, onFrame: (frame, info) => void seen.push({ frame, info }) };
}

const inDirection = (seen: readonly Seen[], direction: FrameInfo['direction']): Frame[] =>
  seen.filter(({ info }) => info.direction === direction).map(({ frame }) => frame);

const shop = () =>
  createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, async () => 'eight')] });
const STOCK = 'mcp__shop__stock';

/** What really passes, taken down in another way: at the pipes of a process, or at the transport of a runtime. */
function truth(options: Options): { options: Options; sent: unknown[]; received: unknown[] } {
  const { runtime } = options;
  if (runtime == null) {
    const child = new RecordedProcess();
    return {
      options: { ...options, ...child.tapped() },
      sent: child.stdin,
      received: child.stdout,
    };
  }
  const [sent, received]: [unknown[], unknown[]] = [[], []];
  const copy = (frame: Frame): unknown => JSON.parse(JSON.stringify(frame));
  const recorded: AgentRuntime = {
    open: (start) => {
      const inner = runtime.open(start);
      return wrapTransport(inner, {
        start: (receiver) =>
          inner.start(
            wrapReceiver(receiver, {
              frame: (frame, byteLength) => {
                received.push(copy(frame));
                receiver.frame(frame, byteLength);
              },
            }),
          ),
        send: (frame) => {
          sent.push(copy(frame));
          return inner.send(frame);
        },
      });
    },
  };
  return { options: { ...options, runtime: recorded }, sent, received };
}

describe.each(BACK_ENDS)('the frames of $name', ({ start, isCli }) => {
  it('are all seen, in both directions, as they were on the wire and in order (R55)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const { seen, onFrame } = watch();
    const wire = truth(agent.options({ onFrame, mcpServers: { shop: shop() }, allowedTools: [STOCK] }));
    const { error } = await ask(wire.options);
    expect(error).toBeUndefined();
    expect(inDirection(seen, 'sent')).toEqual(wire.sent);
    expect(inDirection(seen, 'received')).toEqual(wire.received);
    expect(seen.map(({ info }) => info.sequence)).toEqual(seen.map((_, index) => index + 1));
    expect(new Set(seen.map(({ info }) => info.conversation)).size).toBe(1);
    const times = seen.map(({ info }) => info.at);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    // The request comes before its answer, whichever side asked; each side counts its own.
    const asked = new Set<string>();
    for (const { frame, info } of seen) {
      if (frame.type === 'control_request') asked.add(`${info.direction} ${frame.request_id}`);
      if (frame.type !== 'control_response') continue;
      const { request_id } = frame.response as { request_id: string };
      expect(asked).toContain(`${info.direction === 'sent' ? 'received' : 'sent'} ${request_id}`);
    }
    expect(asked.size).toBeGreaterThan(1);
  });

  it('are copies: what a listener does to them changes neither the conversation nor another listener (R55)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const refused: unknown[] = [];
    const { messages, error } = await ask(
      agent.options({
        mcpServers: { shop: shop() },
        allowedTools: [STOCK],
        onFrame: (frame, info) => {
          for (const value of [frame, info, ...Object.values(frame)]) {
            if (typeof value !== 'object' || value === null) continue;
            try {
              (value as Record<string, unknown>).type = 'spoilt';
            } catch (thrown) {
              refused.push(thrown);
            }
          }
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(refused.length).toBeGreaterThan(10);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Eight.' });
  });

  it('may be watched by somebody who throws or rejects: it is told to onDebug and disturbs nothing (R55)', async () => {
    await using agent = await start(['Hello.']);
    const told: DebugEvent[] = [];
    let calls = 0;
    const { messages, error } = await ask(
      agent.options({
        onDebug: (event) => void told.push(event),
        onFrame: (() => {
          calls += 1;
          if (calls % 2 === 0) throw new Error('I watch badly.');
          return Promise.reject(new Error('I watch late.'));
        }) as () => void,
      }),
    );
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
    const texts = told.filter(({ kind }) => kind === 'frame').map(({ message }) => message);
    expect(texts).toHaveLength(calls);
    expect(texts).toContain('onFrame threw: I watch badly.');
    expect(texts).toContain('onFrame threw: I watch late.');
  });

  it('show no secret: not in a configuration, and not where somebody repeats one (R55, pain 44)', async () => {
    const secret = 'planted-"secret"-42';
    const parrot = createSdkMcpServer({
      name: 'shop',
      tools: [tool('stock', 'Repeats.', {}, async () => `I was told ${secret}.`)],
    });
    await using agent = await start([toolUse(STOCK), `It is ${secret}.`]);
    const { seen, onFrame } = watch();
    const run = query({
      prompt: 'Go.',
      options: agent.options({ onFrame, mcpServers: { shop: parrot }, allowedTools: [STOCK] }),
    });
    await run.setMcpServers({
      shop: parrot,
      away: { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { authorization: `Bearer ${secret}` } },
    });
    await run.applyFlagSettings({ env: { SOME_KEY: 'another-planted-one' } }).catch(() => {});
    const { messages, error } = await collect(run);
    expect(error).toBeUndefined();
    // The conversation itself keeps it.
    expect(JSON.stringify(messages)).toContain('planted-');
    const shown = JSON.stringify(seen);
    expect(shown).not.toContain('planted-');
    const requests = seen.flatMap(({ frame }) => ('request' in frame ? [frame.request] : []));
    expect(requests).toContainEqual(
      expect.objectContaining({
        subtype: 'mcp_set_servers',
        servers: expect.objectContaining({
          away: expect.objectContaining({ headers: { authorization: '<redacted>' } }),
        }),
      }),
    );
    expect(requests).toContainEqual({
      subtype: 'apply_flag_settings',
      settings: { env: { SOME_KEY: '<redacted>' } },
    });
    expect(shown).toContain('I was told <redacted>.');
  });

  it('are published to who has subscribed before the start, and tell conversations apart (R55)', async () => {
    const events: FrameEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as FrameEvent);
    await using agent = await start(['One.', 'Two.']);
    subscribe(CHANNEL, listen);
    try {
      await ask(agent.options());
      const { seen, onFrame } = watch();
      await ask(agent.options({ onFrame }));
      const conversations = [...new Set(events.map(({ conversation }) => conversation))];
      expect(conversations).toHaveLength(2);
      const second = events.filter(({ conversation }) => conversation === conversations[1]);
      expect(second.map(({ frame }) => frame)).toEqual(seen.map(({ frame }) => frame));
      expect(second.map(({ sequence }) => sequence)).toEqual(seen.map(({ info }) => info.sequence));
      expect(events.find(({ direction }) => direction === 'sent')?.frame).toMatchObject({
        type: 'control_request',
        request: { subtype: 'initialize' },
      });
    } finally {
      unsubscribe(CHANNEL, listen);
    }
    expect(channel(CHANNEL).hasSubscribers).toBe(false);
  });

  it('that are for the store are seen too, although the conversation never gets them (R55)', async ({
    skip,
  }) => {
    // The embedded runtime writes to the store itself.
    skip(!isCli);
    await using agent = await start(['Kept.']);
    const { seen, onFrame } = watch();
    const { messages, error } = await ask(
      agent.options({ onFrame, sessionStore: new InMemorySessionStore() }),
    );
    expect(error).toBeUndefined();
    const types = seen.map(({ frame }) => frame.type);
    expect(types).toContain('transcript_mirror');
    expect(messages.map(({ type }) => String(type))).not.toContain('transcript_mirror');
    expect(types).toContain('control_request');
  });
});

/** An agent that answers nothing; it takes down where its transport was called from. */
function tracedRuntime(traces: string[]): AgentRuntime {
  let owner: TransportReceiver | undefined;
  const note = (): void => void traces.push(new Error('trace').stack ?? '');
  const transport: Transport = {
    pid: undefined,
    start: (receiver) => {
      note();
      owner = receiver;
    },
    send: () => {
      note();
      return true;
    },
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => owner?.end({ code: 0, signal: null }),
  };
  return { open: () => transport };
}

describe('a tap that nobody looks through', () => {
  it('is not there: the conversation calls the very transport that the runtime gave (R55)', async () => {
    const between = async (options: Options): Promise<number> => {
      const traces: string[] = [];
      const run = query({ prompt: 'Go.', options: { ...options, runtime: tracedRuntime(traces) } });
      await run.close();
      expect(traces.length).toBeGreaterThan(2);
      return traces.filter((trace) => /(tapped|wrap)-transport/.test(trace)).length;
    };
    expect(await between({})).toBe(0);
    // That the trace would show it:
    expect(await between({ onFrame: () => {} })).toBeGreaterThan(2);
  });

  it('is not put in later: who subscribes in the middle of a conversation sees the next one (R55)', async () => {
    const events: unknown[] = [];
    const listen = (event: unknown): void => void events.push(event);
    const run = query({ prompt: 'Go.', options: { runtime: tracedRuntime([]) } });
    subscribe(CHANNEL, listen);
    run.interrupt().catch(() => {});
    await run.close();
    expect(events).toEqual([]);
    const next = query({ prompt: 'Go.', options: { runtime: tracedRuntime([]) } });
    await next.close();
    unsubscribe(CHANNEL, listen);
    expect(events.length).toBeGreaterThan(0);
  });
});

/** Streams of events over HTTP: cut, slow, silent, many (R62, scale 14). */
import { connect, type Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import { describe, expect, it, vi } from 'vitest';
import { hostHandler } from '../../../src/host/http/handler.js';
import type { Host, HostEvent } from '../../../src/host/index.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel, text } from '../../../src/testing/index.js';
import { holdTimers } from '../../support/held-timers.js';
import { hosted, isDone, REF, shop, until } from '../support/host.js';
import { eventsOf, gate, held, isDoneEvent, type Received, readUntil, served } from './support/served.js';

const EVENTS = '/sessions/user-7/events';

/** A host whose answer stops before the word "then" until it is let go. */
function pausing() {
  const { opened, open } = gate();
  const model = held(scriptedModel([text(['First ', 'this, ', 'then ', 'that.'])]), 'then', opened);
  const { host } = hosted([], shop(), { events: { batchMs: 1 } }, { runtime: embedded({ model }) });
  return { host, open };
}

const isDelta = (word: string) => (data: Received['data']) =>
  data.message.type === 'stream_event' && data.message.event.delta?.text?.includes(word);

/** A reader that sees what comes over the wire, and decides whether it takes more of it. */
class RawReader {
  readonly socket: Socket;
  readonly events: { id: number; data: Received['data'] }[] = [];
  bytes = 0;
  readonly closed: Promise<void>;

  constructor(port: number, path: string, after = 0) {
    const parser = createParser({
      onEvent: ({ id, data }) => this.events.push({ id: Number(id), data: JSON.parse(data) }),
    });
    this.socket = connect(port, '127.0.0.1');
    // HTTP/1.0: the body is not in chunks, and can be read as it is.
    this.socket.write(`GET ${path} HTTP/1.0\r\nLast-Event-ID: ${after}\r\n\r\n`);
    let isBody = false;
    const decoder = new TextDecoder();
    let head = '';
    this.socket.on('data', (part) => {
      this.bytes += part.length;
      const piece = decoder.decode(part, { stream: true });
      if (isBody) return parser.feed(piece);
      head += piece;
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      isBody = true;
      parser.feed(head.slice(end + 4));
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  get last(): number {
    return this.events.at(-1)?.id ?? 0;
  }
}

const numbers = (events: readonly { id: number }[]) => events.map(({ id }) => id);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const noReaders = (host: Host) => vi.waitFor(async () => expect((await host.stats()).readers).toBe(0));

describe('a stream of events', () => {
  it('that is cut with RST in the middle goes on behind the last event: no gap, no double (scale 14)', async () => {
    const { host, open } = pausing();
    await using _ = host;
    await using server = await served(host);
    await host.send(REF, 'What?');
    const first = new RawReader(server.port, EVENTS);
    await vi.waitFor(() => expect(first.events.some(({ data }) => isDelta('this')(data))).toBe(true));
    first.socket.resetAndDestroy();
    await noReaders(host);
    const second = new RawReader(server.port, EVENTS, first.last);
    open();
    await vi.waitFor(() => expect(second.events.some(({ data }) => isDoneEvent(data))).toBe(true));
    second.socket.destroy();
    const seen = [...first.events, ...second.events];
    expect(numbers(seen)).toEqual(upTo(second.last));
    const stored = await until(host, REF, isDone);
    expect(seen.map(({ data }) => data.message)).toEqual(
      JSON.parse(JSON.stringify(stored.map((e) => e.message))),
    );
    expect(stored.at(-1)?.message).toMatchObject({ outcome: 'answered' });
  });

  it('has first what is stored and then what comes, for 50 readers who come at different times', async () => {
    const { host, open } = pausing();
    await using _ = host;
    await using server = await served(host);
    const readers: Promise<Received[]>[] = [];
    const join = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        readers.push(readUntil(await fetch(`${server.origin}${EVENTS}`), isDoneEvent));
      }
    };
    await join(20);
    await host.send(REF, 'What?');
    await join(15);
    await vi.waitFor(async () => expect((await host.session(REF))?.event).toBeGreaterThan(2));
    await join(15);
    open();
    const all = await Promise.all(readers);
    const last = (await host.session(REF))?.event ?? 0;
    for (const events of all) expect(events.map(({ id }) => Number(id))).toEqual(upTo(last));
    await noReaders(host);
  });

  it('shows that it is alive while nothing happens', async () => {
    using beats = holdTimers(LIMITS.hostHeartbeatMs);
    const { host } = hosted([text('Hi.')], shop());
    await using _ = host;
    await using server = await served(host);
    const reader = new RawReader(server.port, EVENTS);
    await vi.waitFor(() => expect(beats.count).toBe(1));
    const silent = reader.bytes;
    for (const beat of [1, 2, 3]) {
      beats.expire();
      await vi.waitFor(() => expect(reader.bytes).toBeGreaterThanOrEqual(silent + beat * 10));
      await vi.waitFor(() => expect(beats.count).toBe(1));
    }
    expect(reader.events).toEqual([]);
    await host.send(REF, 'Hi.');
    await vi.waitFor(() => expect(reader.events.some(({ data }) => isDoneEvent(data))).toBe(true));
    expect(numbers(reader.events)).toEqual(upTo(reader.last));
    reader.socket.destroy();
  });

  it('ends when the host ends', async () => {
    const { host } = hosted([text('Hi.')], shop());
    await using server = await served(host);
    await host.send(REF, 'Hi.');
    await until(host, REF, isDone);
    const response = await fetch(`${server.origin}${EVENTS}`);
    const events: Received[] = [];
    await Promise.all([
      (async () => {
        for await (const event of eventsOf(response)) events.push(event);
      })(),
      host.drain(),
    ]);
    expect(isDoneEvent(events.at(-1)?.data)).toBe(true);
  });
});

describe('a reader that takes nothing', () => {
  const SLOW_MS = 12_345;
  const LONG = 'x'.repeat(400_000);
  const PROMPTS = 40;

  it('is cut off with a last event, holds nobody up, and goes on where it was (scale 14)', async () => {
    using slow = holdTimers(SLOW_MS);
    const { host } = hosted(Array(PROMPTS).fill(text('Yes.')), shop(), {
      events: { partialMessages: false },
    });
    await using _ = host;
    await using server = await served(host, { slowReaderMs: SLOW_MS });
    const reader = new RawReader(server.port, EVENTS);
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(1));
    reader.socket.pause();
    let last = 0;
    for (let index = 0; index < PROMPTS; index += 1) {
      const { id } = await host.send(REF, `${index} ${LONG}`);
      const events = await until(
        host,
        REF,
        (message) => isDone(message) && 'prompt' in message && message.prompt === id,
        last,
      );
      last = events.at(-1)?.id ?? 0;
    }
    // 16 MB: more than the system keeps for a connection, so that something waits.
    await vi.waitFor(() => expect(slow.count).toBe(1));
    slow.expire();
    await noReaders(host);
    reader.socket.resume();
    await reader.closed;
    expect(reader.events.at(-1)?.data.message).toMatchObject({ type: 'host', subtype: 'cut_off' });
    const before = reader.events.slice(0, -1);
    expect(reader.last).toBe(before.at(-1)?.id);
    expect(reader.last).toBeLessThan(last);
    const headers = { 'last-event-id': String(reader.last) };
    const again: Received[] = [];
    for await (const event of eventsOf(await fetch(`${server.origin}${EVENTS}`, { headers }))) {
      again.push(event);
      if (Number(event.id) === last) break;
    }
    expect([...numbers(before), ...again.map(({ id }) => Number(id))]).toEqual(upTo(last));
  });

  it('has at most one event waiting for it, and then its last words', async () => {
    using slow = holdTimers(SLOW_MS);
    let asked = 0;
    async function* events(): AsyncGenerator<HostEvent, void> {
      for (;;) {
        asked += 1;
        yield { id: asked, at: 0, message: { type: 'host', subtype: 'missed', count: 0 } };
      }
    }
    const response = await fakeEvents(events, SLOW_MS);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toContain('retry:');
    expect(await read()).toContain('id: 1\n');
    await vi.waitFor(() => expect(slow.count).toBe(1));
    expect(asked).toBe(2);
    // Who takes something is not slow.
    expect(await read()).toContain('id: 2\n');
    await vi.waitFor(() => expect([slow.count, asked]).toEqual([1, 3]));
    slow.expire();
    const words = await read();
    expect(words).toContain('id: 2\n');
    expect(words).toContain('cut_off');
    expect((await reader.read()).done).toBe(true);
  });
});

/** The handler on a host that only has events. */
function fakeEvents(
  events: (signal: AbortSignal | undefined) => AsyncGenerator<HostEvent, void>,
  slowReaderMs = 60_000,
  signal?: AbortSignal,
): Promise<Response> {
  const host = {
    session: async () => undefined,
    events: (_: unknown, options: { signal?: AbortSignal }) => events(options.signal),
  } as unknown as Host;
  const problems: unknown[] = [];
  const handler = hostHandler(host, { authorize: () => ({ tenant: 'acme' }), slowReaderMs }, (problem) =>
    problems.push(problem),
  );
  return handler(new Request('http://localhost/sessions/s/events', signal === undefined ? {} : { signal }));
}

describe('a reader that leaves', () => {
  /** Events that wait until they are told to end, and remember that they were. */
  function waiting() {
    const seen: string[] = [];
    async function* events(signal: AbortSignal | undefined): AsyncGenerator<HostEvent, void> {
      try {
        yield { id: 1, at: 0, message: { type: 'host', subtype: 'missed', count: 0 } };
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        seen.push('aborted');
      } finally {
        seen.push('returned');
      }
    }
    return { seen, events };
  }

  it.each(['while an event waits', 'while nothing does'])(
    'ends what is read for it: %s, by its signal',
    async (when) => {
      const { seen, events } = waiting();
      const leaving = new AbortController();
      const response = await fakeEvents(events, 60_000, leaving.signal);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      if (when.includes('nothing')) await reader.read();
      leaving.abort();
      await vi.waitFor(() => expect(seen).toContain('returned'));
      await reader.closed;
    },
  );

  it.each(['while an event waits', 'while nothing does'])(
    'ends what is read for it: %s, by its body',
    async (when) => {
      const { seen, events } = waiting();
      const response = await fakeEvents(events);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      if (when.includes('nothing')) await reader.read();
      await reader.cancel();
      await vi.waitFor(() => expect(seen).toContain('returned'));
    },
  );

  it('before it was answered has opened nothing that stays', async () => {
    const { seen, events } = waiting();
    const response = await fakeEvents(events, 60_000, AbortSignal.abort());
    expect(seen).toEqual([]);
    expect((await response.body?.getReader().read())?.done).toBe(true);
  });
});

it('a stream whose source fails says so with its last event, and not why', async () => {
  async function* events(): AsyncGenerator<HostEvent, void> {
    yield { id: 7, at: 0, message: { type: 'host', subtype: 'missed', count: 6 } };
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('password "hunter2"');
  }
  const told = await readAll(await fakeEvents(events));
  expect(told.map(({ id }) => id)).toEqual(['7', '7']);
  expect(told.at(-1)?.data.message.subtype).toBe('cut_off');
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

async function readAll(response: Response): Promise<Received[]> {
  const all: Received[] = [];
  for await (const event of eventsOf(response)) all.push(event);
  return all;
}

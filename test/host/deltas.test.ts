/** Text that is told as it is written: few events, all of the text, in order (R62). */
import { describe, expect, it, vi } from 'vitest';
import type { Commit, HostMessage } from '../../src/host/index.js';
import { joined } from '../../src/host/run/deltas.js';
import { EventLog } from '../../src/host/run/event-log.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { blocks, text, thinking, toolUse } from '../../src/testing/index.js';
import fc from '../support/property.js';
import { hosted, isDone, REF, shop, until } from './support/host.js';

const LEASE = { tenant: 'acme', session: 's', fence: 1, owner: 'me', previous: 0, crashes: 0 };

type Delta = Record<string, unknown>;

function delta(fields: Delta, index = 0, parent: string | null = null): HostMessage {
  return {
    type: 'stream_event',
    event: { type: 'content_block_delta', index, delta: fields },
    parent_tool_use_id: parent,
    uuid: '',
    session_id: '',
  } as unknown as HostMessage;
}

/** What each block of each agent comes to. */
function wholes(messages: readonly HostMessage[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const message of messages) {
    if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') continue;
    const { index, delta: fields } = message.event;
    const { type, ...rest } = fields as unknown as Delta;
    const key = `${message.parent_tool_use_id} ${index} ${type}`;
    all[key] = `${all[key] ?? ''}${Object.values(rest).join()}`;
  }
  return all;
}

/** A log whose storage takes until it is told to go on. */
function slowLog(): { log: EventLog; commits: Commit[]; store(): void } {
  const commits: Commit[] = [];
  const waiting: (() => void)[] = [];
  const commit = async (_: unknown, given: Commit) => {
    commits.push(given);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { event: 1, state: 'running' as const };
  };
  const log = new EventLog({
    storage: { commit },
    lease: LEASE,
    batchMs: 0,
    published: () => {},
    failed: (error) => {
      throw error;
    },
  });
  return { log, commits, store: () => waiting.shift()?.() };
}

const status = (number: number): HostMessage =>
  ({ type: 'system', subtype: 'status', number }) as unknown as HostMessage;

describe('deltas', () => {
  const piece = fc.record({
    kind: fc.constantFrom('text', 'thinking', 'partial_json', 'signature', 'citation'),
    index: fc.nat(2),
    parent: fc.constantFrom(null, 'toolu_1', 'toolu_2'),
    text: fc.string({ maxLength: 3 }),
  });
  const types: Record<string, string> = { partial_json: 'input_json_delta', citation: 'citations_delta' };

  it('that follow each other are one; of other blocks, agents and kinds they are not mixed', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (given) => {
        const messages = given.map(({ kind, index, parent, text: words }) =>
          delta({ type: types[kind] ?? `${kind}_delta`, [kind]: words }, index, parent),
        );
        const few: HostMessage[] = [];
        for (const message of messages) {
          const whole = joined(few.at(-1), message);
          if (whole === undefined) few.push(message);
          else few[few.length - 1] = whole;
        }
        expect(wholes(few)).toEqual(wholes(messages));
        for (const [at, message] of few.entries())
          if (at > 0) expect(joined(few[at - 1], message)).toBeUndefined();
      }),
    );
  });

  it('of one text, thought or input are told in few events, complete and in order', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word ${index} 😀 `);
    const thoughts = Array.from({ length: 100 }, (_, index) => `thought ${index} `);
    const { server } = shop();
    const { host } = hosted(
      [
        blocks([
          thinking(thoughts),
          text(words),
          toolUse('mcp__shop__pay', { amount: 123456789 }, { chunks: 12 }),
        ]),
        text(words, { chunkDelayMs: 1 }),
      ],
      { server },
      { events: { batchMs: 20 } },
      { allowedTools: ['mcp__shop__*'] },
    );
    await using _ = host;
    await host.send(REF, 'Speak.');
    const messages = (await until(host, REF, isDone)).map(({ message }) => message);
    const first = messages.findIndex(({ type }) => type === 'assistant');
    const deltas = messages.filter(
      (message) => message.type === 'stream_event' && message.event.type === 'content_block_delta',
    );
    // 912 pieces, some of them a millisecond apart.
    expect(deltas.length).toBeLessThan(200);
    const answers = messages.flatMap((message) =>
      message.type === 'assistant' ? message.message.content : [],
    );
    expect(answers.map((block) => ('text' in block ? block.text : block.type))).toEqual([
      'thinking',
      words.join(''),
      'tool_use',
      words.join(''),
    ]);
    const until2nd = messages.findLastIndex(
      (message) => message.type === 'stream_event' && message.event.type === 'message_start',
    );
    expect(wholes(messages.slice(0, until2nd))).toMatchObject({
      'null 0 thinking_delta': thoughts.join(''),
      'null 1 text_delta': words.join(''),
      'null 2 input_json_delta': JSON.stringify({ amount: 123456789 }),
    });
    expect(wholes(messages.slice(until2nd))).toEqual({ 'null 0 text_delta': words.join('') });
    expect(first).toBeGreaterThan(0);
  });

  it('are not told at all with partialMessages: false', async () => {
    const { server } = shop();
    const { host } = hosted([text(['a', 'b'])], { server }, { events: { partialMessages: false } });
    await using _ = host;
    await host.send(REF, 'Speak.');
    const events = await until(host, REF, isDone);
    expect(events.filter(({ message }) => message.type === 'stream_event')).toEqual([]);
  });
});

describe('a storage that is slow', () => {
  it('gets everything that has come meanwhile at once, in order', async () => {
    const { log, commits, store } = slowLog();
    for (let number = 0; number < 50; number += 1) {
      log.add(status(number));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(commits.length).toBe(1);
    store();
    await vi.waitFor(() => expect(commits.length).toBe(2));
    const withdrawn = log.commit({ withdraw: ['question'] });
    log.add(status(50));
    store();
    await vi.waitFor(() => expect(commits.length).toBe(3));
    store();
    await withdrawn;
    const last = log.commit({ release: { state: 'idle' } }, [status(51)]);
    await vi.waitFor(() => expect(commits.length).toBe(4));
    store();
    await last;
    const told = commits.flatMap(({ events = [] }) =>
      events.map((event) => (event as { number: number }).number),
    );
    expect(told).toEqual(Array.from({ length: 52 }, (_, number) => number));
  });

  it('slows the agent down: what waits for it is bounded', async () => {
    const { log, commits, store } = slowLog();
    let added = 0;
    const adding = (async () => {
      for (; added < 5 * LIMITS.hostEventsAtOnce; added += 1) {
        log.add(status(added));
        // Timers have their turn, as they have between two messages of an agent.
        if (added % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        await log.hasRoom();
      }
    })();
    for (let stored = 0; added < 5 * LIMITS.hostEventsAtOnce; stored += 1) {
      await vi.waitFor(() => expect(commits.length).toBeGreaterThan(stored));
      const before = commits.slice(0, stored).reduce((sum, { events = [] }) => sum + events.length, 0);
      expect(added - before).toBeLessThanOrEqual(2 * LIMITS.hostEventsAtOnce);
      await new Promise((resolve) => setTimeout(resolve, 20));
      store();
    }
    await adding;
  });
});

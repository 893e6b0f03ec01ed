/** Embedded conversations share one process with its other work: neither many of them nor an unread one takes all of it (pain 9, pain 48). */
import { afterAll, describe, expect, it } from 'vitest';
import { createSession, type Options, query, type SDKMessage } from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { sandbox } from '../support/real-cli.js';

const warnings: Error[] = [];
failOnTrouble((warning) => {
  const isOurs = 'code' in warning && warning.code === 'TENON_UNREAD_MESSAGES';
  if (isOurs) warnings.push(warning);
  return isOurs;
});
afterAll(() => {
  expect(warnings.length).toBeLessThanOrEqual(1);
});

/** How many turns the event loop has had. */
function loopTurns(): { count: () => number; stop: () => void } {
  let turns = 0;
  let isOver = false;
  const next = (): void => {
    turns += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    count: () => turns,
    stop: () => {
      isOver = true;
    },
  };
}

const MANY = 200;

it('many that begin at once let other events have their turn (pain 9)', async () => {
  await using box = sandbox();
  const turns = loopTurns();
  const endedAt = await Promise.all(
    Array.from({ length: MANY }, async () => {
      const runtime = embedded({ model: scriptedModel(['Hello.']) });
      for await (const _ of query({ prompt: 'Go.', options: { runtime, cwd: box.cwd, env: box.env() } })) {
        // Only its end matters.
      }
      return turns.count();
    }),
  );
  turns.stop();
  expect(Math.max(...endedAt) - Math.min(...endedAt)).toBeGreaterThan(MANY / LIMITS.begunPerLoopTurn - 2);
});

it('many that are asked at once do so, too (pain 9)', async () => {
  await using box = sandbox();
  const options = (): Options => ({
    runtime: embedded({ model: scriptedModel(['Hello.', 'Again.']) }),
    cwd: box.cwd,
    env: box.env(),
  });
  const sessions = Array.from({ length: MANY }, () => createSession(options()));
  await Promise.all(sessions.map((session) => session.ask('Go.')));
  const turns = loopTurns();
  const endedAt = await Promise.all(
    sessions.map(async (session) => {
      await session.ask('Go on.');
      return turns.count();
    }),
  );
  turns.stop();
  expect(Math.max(...endedAt) - Math.min(...endedAt)).toBeGreaterThan(MANY / LIMITS.begunPerLoopTurn - 2);
  await Promise.all(sessions.map((session) => session.close()));
});

describe('a consumer that does not read', () => {
  const MEGABYTE = 'x'.repeat(2 ** 20);
  const PARTS = 60;

  /** A model that says a megabyte at a time, and how often it has. */
  function flood(parts = PARTS) {
    let said = 0;
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'flood',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    async function* stream(): AsyncGenerator<StreamEvent, void> {
      yield { type: 'message_start', message } as unknown as StreamEvent;
      yield {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'text', text: '' },
      } as StreamEvent;
      for (; said < parts; said += 1) {
        yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: MEGABYTE } };
      }
      yield { type: 'content_block_stop', index: 0 };
      const delta = { stop_reason: 'end_turn', stop_sequence: null };
      yield { type: 'message_delta', delta, usage: { output_tokens: 1 } } as unknown as StreamEvent;
      yield { type: 'message_stop' };
    }
    return { model: { name: 'flood', stream }, said: () => said };
  }

  async function loopTurnsPass(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  it('holds up an embedded agent at `maxUnreadBytes`, and finds everything when it reads (pain 48)', async () => {
    await using box = sandbox();
    const { model, said } = flood();
    const running = query({
      prompt: 'Go.',
      options: {
        runtime: embedded({ model }),
        cwd: box.cwd,
        env: box.env(),
        includePartialMessages: true,
        maxUnreadBytes: 8 * 2 ** 20,
      },
    });
    await expect.poll(said).toBeGreaterThan(7);
    await loopTurnsPass(100);
    expect(said()).toBeLessThan(12);
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    expect(said()).toBe(PARTS);
    const text = messages.flatMap((message) =>
      message.type === 'stream_event' && message.event.type === 'content_block_delta'
        ? [message.event.delta]
        : [],
    );
    expect(text).toHaveLength(PARTS);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  });

  it('can ask the agent something, and can close it while it is held up', async () => {
    await using box = sandbox();
    const { model, said } = flood();
    const running = query({
      prompt: 'Go.',
      options: {
        runtime: embedded({ model }),
        cwd: box.cwd,
        env: box.env(),
        includePartialMessages: true,
        maxUnreadBytes: 2 * 2 ** 20,
      },
    });
    await expect.poll(said).toBeGreaterThan(1);
    await expect(running.setModel('other')).resolves.toBeUndefined();
    await loopTurnsPass(50);
    expect(said()).toBeLessThan(PARTS);
    await running.close();
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it('is counted without the option, too, once there are many messages', async () => {
    await using box = sandbox();
    const { model, said } = flood(160);
    const running = query({
      prompt: 'Go.',
      options: { runtime: embedded({ model }), cwd: box.cwd, env: box.env(), includePartialMessages: true },
    });
    await expect.poll(said).toBeGreaterThan(60);
    await loopTurnsPass(100);
    expect(said()).toBeLessThan(80);
    await running.close();
  });
});

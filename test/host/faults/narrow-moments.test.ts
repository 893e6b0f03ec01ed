/** Moments that are too short to be met by chance, made long (R60, R63). */
import { setImmediate as soon, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type HostStorage, memoryStorage, StorageError } from '../../../src/host/index.js';
import type { AgentRuntime } from '../../../src/options/agent-runtime.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel, stall, text, toolUse } from '../../../src/testing/index.js';
import { hosted, isApproval, isDone, REF, shared, shop, until, words } from '../support/host.js';

/** Agents that do not end before this has happened. */
function endingAfter(runtime: AgentRuntime, before: () => Promise<void>): AgentRuntime {
  return {
    open: (start) => {
      const transport = runtime.open(start);
      const { stop } = transport;
      transport.stop = async (graceMs) => {
        await before();
        await stop.call(transport, graceMs);
      };
      return transport;
    },
    withJournal: (journal) => endingAfter(runtime.withJournal?.(journal) ?? runtime, before),
  };
}

describe('an answer', () => {
  it('that comes while the turn is being put away is not lost: it wakes the conversation (R63)', async () => {
    const { server, effects } = shop();
    const model = scriptedModel([toolUse('mcp__shop__pay', { amount: 5 }), text('It is paid.')]);
    const outcomes: string[] = [];
    const runtime = endingAfter(embedded({ model }), async () => {
      const [approval] = await host.pendingApprovals();
      if (approval === undefined) return;
      outcomes.push(await host.answer(approval.id, { behavior: 'allow' }));
      // The run hears of it while its agent still ends.
      for (let round = 0; round < 10; round += 1) await soon();
    });
    const { host } = hosted([], { server }, {}, { runtime });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await until(host, REF, isDone);
    expect(outcomes).toEqual(['taken']);
    expect(effects).toEqual(['paid 5']);
    model.assertDone();
  });
});

describe('a turn that is cut off by the end of its program', () => {
  it('while the model answers is not told as interrupted, neither to the model nor to readers (R60, R64)', async () => {
    const storage = shared();
    const half = stall(text(['Half of ', 'an answer ', 'is not ', 'enough.']));
    {
      const { host } = hosted([half], shop(), { storage, events: { batchMs: 0 } });
      await host.send(REF, 'Hi.');
      await until(host, REF, (message) => JSON.stringify(message).includes('an answer'));
      await host.close();
    }
    const { host, model } = hosted([text('All of it.')], shop(), { storage });
    await using _ = host;
    const told = words(await until(host, REF, isDone));
    expect(told).toEqual([
      'user text: Hi.',
      'resumed',
      'user text: Hi.',
      'assistant text: All of it.',
      'result',
      'done: answered',
    ]);
    expect(model.requests[0]?.messages).toHaveLength(1);
    expect(JSON.stringify(model.requests)).not.toMatch(/interrupted|Half/);
  });
});

describe('a turn that ends while the leases are renewed', () => {
  it('has not lost its lease: its agent is as good as before (R60)', async () => {
    const storage = memoryStorage();
    let onRenewed = (): void => {};
    const late: HostStorage = {
      ...storage,
      commit: async (lease, commit) => {
        const committed = await storage.commit(lease, commit);
        // The storage has given the conversation back, and the run does not know yet.
        if (commit.release !== undefined)
          await new Promise<void>((resolve) => {
            onRenewed = resolve;
          });
        return committed;
      },
      leases: {
        ...storage.leases,
        renew: async (...leases) => {
          const lost = await storage.leases.renew(...leases);
          if (lost.length > 0) void aWhile().then(onRenewed);
          return lost;
        },
      },
    };
    const model = scriptedModel([text('One.'), text('Two.'), text('Three.')]);
    // One that was closed by mistake would take long to end, and look alive.
    const runtime = endingAfter(embedded({ model }), () => wait(200));
    const { host } = hosted([], shop(), { storage: late, lease: { ttlMs: 100 } }, { runtime });
    await using _ = host;
    for (const word of ['One', 'Two', 'Three']) {
      const { event } = await host.send(REF, `${word}?`);
      const told = words(await until(host, REF, isDone, event));
      expect(told).toEqual([`user text: ${word}?`, `assistant text: ${word}.`, 'result', 'done: answered']);
    }
    expect(await host.stats()).toMatchObject({ lostLeases: 0, retries: 0 });
    model.assertDone();
  });
});

/** Until everything has happened that does not wait for a clock. */
async function aWhile(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await soon();
}

describe('what readers are told', () => {
  it('is told anew if a part of it could not be stored, also if that is known only at the end of the turn (R62)', async () => {
    const storage = memoryStorage();
    const { append } = storage.transcript(REF);
    let isAway = true;
    let onAnswer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      onAnswer = resolve;
    });
    const failing: HostStorage = {
      ...storage,
      transcript: (of) => {
        const transcript = storage.transcript(of);
        return {
          ...transcript,
          append: async (...entries: Parameters<typeof append>) => {
            await transcript.append(...entries);
            onAnswer();
          },
        };
      },
      commit: async (lease, commit) => {
        if (!isAway || commit.release !== undefined) return storage.commit(lease, commit);
        isAway = false;
        await answered;
        // The turn has come to its end, and its last commit waits behind this one.
        await aWhile();
        throw new StorageError('The storage is away.', { isTransient: true });
      },
    };
    const problems: string[] = [];
    const { host } = hosted([text('Hello.')], shop(), {
      storage: failing,
      events: { batchMs: 0 },
      onProblem: ({ during }) => problems.push(during),
    });
    await using _ = host;
    await host.send(REF, 'Hi.');
    expect(words(await until(host, REF, isDone))).toEqual([
      'resumed',
      'user text: Hi.',
      'assistant text: Hello.',
      'done: answered',
    ]);
    expect(problems).toEqual(['a turn']);
  });

  it('is told anew if the program had to stop, also if an answer is told before it is known what was said (R62)', async () => {
    const storage = shared();
    const { server, effects } = shop();
    {
      const script = [toolUse('mcp__shop__pay', { amount: 5 })];
      const { host } = hosted(script, { server }, { storage, approvals: { holdMs: 600_000 } });
      await host.send(REF, 'Pay 5.');
      await until(host, REF, isApproval);
      await host.close();
    }
    const [approval] = await storage.approvals.list();
    await storage.approvals.answer(approval?.id ?? '', { behavior: 'allow' });
    const slow: HostStorage = {
      ...storage,
      transcript: (of) => {
        const transcript = storage.transcript(of);
        const listSessions = async (key: string) => {
          await vi.waitFor(async () =>
            expect((await storage.events.read(REF)).events.some(isAnswered)).toBe(true),
          );
          return transcript.listSessions(key);
        };
        return { ...transcript, listSessions };
      },
    };
    const { host } = hosted([text('It is paid.')], { server }, { storage: slow, events: { batchMs: 0 } });
    await using _ = host;
    const events = await until(host, REF, isDone);
    const told = words(events);
    expect(told.slice(told.indexOf('resumed'))).toEqual([
      'resumed',
      'answered',
      'user text: Pay 5.',
      'assistant tool_use: {"amount":5}',
      'user tool_result: [{"type":"text","text":"Paid 5."}]',
      'assistant text: It is paid.',
      'result',
      'done: answered',
    ]);
    expect(effects).toEqual(['paid 5']);
  });
});

function isAnswered({ message }: { message: unknown }): boolean {
  return (message as { subtype?: string }).subtype === 'answered';
}

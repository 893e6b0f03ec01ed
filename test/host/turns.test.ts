import { describe, expect, it, vi } from 'vitest';
import type { HostStorage } from '../../src/host/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { hosted, isApproval, isDone, REF, shared, shop, until, words } from './support/host.js';

const free = { allowedTools: ['mcp__shop__*'] };

describe('a host (R60)', () => {
  it('gives a conversation its prompts, one turn each, in order, and tells what comes of them', async () => {
    const { server, effects } = shop();
    const script = [toolUse('mcp__shop__pay', { amount: 5 }), text('It is paid.'), text('You are welcome.')];
    const { host, model } = hosted(script, { server }, {}, free);
    await using _ = host;
    const first = await host.send(REF, 'Pay 5.');
    const second = await host.send(REF, 'Thanks.');
    const events = await until(
      host,
      REF,
      (message) => isDone(message) && JSON.stringify(message).includes(second.id),
    );
    expect(words(events)).toEqual([
      'user text: Pay 5.',
      'assistant tool_use: {"amount":5}',
      'user tool_result: [{"type":"text","text":"Paid 5."}]',
      'assistant text: It is paid.',
      'result',
      'done: answered',
      'user text: Thanks.',
      'assistant text: You are welcome.',
      'result',
      'done: answered',
    ]);
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
    expect(first.event).toBe(0);
    expect(effects).toEqual(['paid 5']);
    expect((await host.stats()).turns).toEqual({ answered: 2, failed: 0, interrupted: 0 });
    model.assertDone();
  });

  it('keeps its agent in memory when a look at the inbox comes after the end of the turn', async () => {
    const { server } = shop();
    const storage = shared();
    const { inbox, commit, watch } = storage;
    let changed = (): void => {};
    let looks = 0;
    let released = (): void => {};
    const release = new Promise<void>((resolve) => {
      released = resolve;
    });
    const late: HostStorage = {
      ...storage,
      watch: (topic, onChange) => {
        if (topic.kind === 'inbox') changed = onChange;
        return watch(topic, onChange);
      },
      inbox: {
        ...inbox,
        read: async (...args) => {
          looks += 1;
          if (looks === 2) await release;
          return inbox.read(...args);
        },
      },
      commit: async (lease, given) => {
        // As if something was sent during the turn.
        changed();
        const committed = await commit(lease, given);
        if (given.release !== undefined) released();
        return committed;
      },
    };
    const { host } = hosted([text('One.'), text('Two.')], { server }, { storage: late });
    await using _ = host;
    await host.send(REF, 'First.');
    await until(host, REF, isDone);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1));
    await vi.waitFor(async () => expect((await host.stats()).running).toBe(0));
    expect((await host.stats()).open).toBe(1);
  });

  it('goes on with what it knows after it was evicted, and after the program was started anew (R60)', async () => {
    const { server } = shop();
    const storage = shared();
    {
      const { host } = hosted([text('Hello Ann.')], { server }, { storage, idle: { evictAfterMs: 0 } });
      await using _ = host;
      await host.send(REF, 'I am Ann.');
      await until(host, REF, isDone);
      await vi.waitFor(async () => expect((await host.stats()).open).toBe(0));
    }
    const { host, model } = hosted([text('You are Ann.')], { server }, { storage });
    await using _ = host;
    const { event } = await host.send(REF, 'Who am I?');
    await until(host, REF, isDone, event);
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect((await host.messages(REF)).map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('puts a turn away when nobody answers, and goes on with the answer after a restart (R63)', async () => {
    const { server, effects } = shop();
    const storage = shared();
    {
      const { host } = hosted([toolUse('mcp__shop__pay', { amount: 5 })], { server }, { storage });
      await using _ = host;
      await host.send(REF, 'Pay 5.');
      await until(host, REF, isApproval);
      await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('waiting'));
      expect((await host.stats()).open).toBe(0);
    }
    expect(effects).toEqual([]);
    const { host } = hosted([text('It is paid.')], { server }, { storage });
    await using _ = host;
    const [approval] = await host.pendingApprovals({ tenant: 'acme' });
    expect(approval).toMatchObject({ kind: 'permission', toolName: 'mcp__shop__pay', input: { amount: 5 } });
    expect(await host.answer(approval?.id ?? '', { behavior: 'allow' })).toBe('taken');
    expect(await host.answer(approval?.id ?? '', { behavior: 'deny', message: 'no' })).toBe('already');
    const events = await until(host, REF, isDone);
    expect(effects).toEqual(['paid 5']);
    expect(words(events)).toEqual([
      'user text: Pay 5.',
      'assistant tool_use: {"amount":5}',
      'approval',
      'answered',
      'user tool_result: [{"type":"text","text":"Paid 5."}]',
      'assistant text: It is paid.',
      'result',
      'done: answered',
    ]);
  });
});

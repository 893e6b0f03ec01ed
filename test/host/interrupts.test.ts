import { describe, expect, it, vi } from 'vitest';
import type { HostMessage } from '../../src/host/index.js';
import { hang, text, toolUse } from '../../src/testing/index.js';
import { hosted, isApproval, isDone, REF, shared, shop, until, words } from './support/host.js';

const isDoneOf = (id: string) => (message: HostMessage) =>
  isDone(message) && 'prompt' in message && message.prompt === id;

describe('an interrupt of a hosted conversation (R60, R61)', () => {
  it('ends the turn that runs, and the prompts behind it follow', async () => {
    const { host, model } = hosted([hang(), text('Second.')], shop());
    await using _ = host;
    const first = await host.send(REF, 'First?');
    const second = await host.send(REF, 'Second?');
    await model.waitForRequest(0);
    await host.interrupt(REF);
    const events = await until(host, REF, isDoneOf(second.id));
    expect(words(events).filter((word) => word.startsWith('done'))).toEqual([
      'done: interrupted',
      'done: answered',
    ]);
    expect(events.find(({ message }) => isDoneOf(first.id)(message))).toBeDefined();
    expect((await host.session(REF))?.inbox).toBe(0);
  });

  it('with `dropQueued` takes the prompts that were sent before it too, and no later one', async () => {
    const { host, model } = hosted([hang(), text('Fourth.')], shop());
    await using _ = host;
    await host.send(REF, 'First?');
    await host.send(REF, 'Second?');
    await host.send(REF, 'Third?');
    await model.waitForRequest(0);
    await host.interrupt(REF, { dropQueued: true });
    const fourth = await host.send(REF, 'Fourth?');
    const events = await until(host, REF, isDoneOf(fourth.id));
    expect(words(events).filter((word) => /^(?:done|user)/.test(word))).toEqual([
      'user text: First?',
      expect.stringContaining('interrupted'),
      'done: interrupted',
      'user text: Second?',
      'done: dropped',
      'user text: Third?',
      'done: dropped',
      'user text: Fourth?',
      'done: answered',
    ]);
    expect(model.requests).toHaveLength(2);
  });

  it('ends a turn that waits for an answer: its question is withdrawn, and the call is never made (R63)', async () => {
    const { server, effects } = shop();
    const script = [toolUse('mcp__shop__pay', { amount: 5 }), text('As you like.')];
    const { host, model } = hosted(script, { server });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await until(host, REF, isApproval);
    await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('waiting'));
    const [approval] = await host.pendingApprovals();
    await host.interrupt(REF);
    const events = await until(host, REF, isDone);
    expect(words(events).slice(-5)).toEqual([
      'withdrawn',
      expect.stringContaining('It has not run.'),
      expect.stringContaining('interrupted by user'),
      'result',
      'done: interrupted',
    ]);
    expect(await host.pendingApprovals()).toEqual([]);
    expect(await host.answer(approval?.id ?? '', { behavior: 'allow' })).toBe('gone');
    const { event } = await host.send(REF, 'Forget it.');
    await until(host, REF, isDone, event);
    expect(effects).toEqual([]);
    expect(model.requests).toHaveLength(2);
  });

  it('ends a turn whose question is still held in memory', async () => {
    const { server, effects } = shop();
    const { host } = hosted(
      [toolUse('mcp__shop__pay', { amount: 5 })],
      { server },
      { approvals: { holdMs: 600_000 } },
    );
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await until(host, REF, isApproval);
    await host.interrupt(REF);
    const events = await until(host, REF, isDone);
    expect(words(events).slice(-5)).toEqual([
      'withdrawn',
      expect.stringContaining('It has not run.'),
      expect.stringContaining('interrupted by user'),
      'result',
      'done: interrupted',
    ]);
    expect(effects).toEqual([]);
  });

  it('of a conversation without work changes nothing, and begins none', async () => {
    const { host } = hosted([text('Hello.'), text('Still here.')], shop());
    await using _ = host;
    await host.interrupt(REF);
    expect(await host.session(REF)).toBeUndefined();
    await host.send(REF, 'Hi.');
    await until(host, REF, isDone);
    await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('idle'));
    await host.interrupt(REF);
    const { event } = await host.send(REF, 'And now?');
    const events = await until(host, REF, isDone, event);
    expect(words(events)).toContain('assistant text: Still here.');
  });

  it('of a prompt that has not begun takes that prompt, also in a program that is started later', async () => {
    const storage = shared();
    const { server } = shop();
    await storage.inbox.send(REF, { kind: 'prompt', body: { prompt: 'First?' } });
    await storage.inbox.send(REF, { kind: 'interrupt', body: {} });
    const second = await storage.inbox.send(REF, { kind: 'prompt', body: { prompt: 'Second?' } });
    const { host, model } = hosted([text('Second.')], { server }, { storage });
    await using _ = host;
    const events = await until(host, REF, isDoneOf(second.id));
    expect(words(events)).toEqual([
      'user text: First?',
      'done: dropped',
      'user text: Second?',
      'assistant text: Second.',
      'result',
      'done: answered',
    ]);
    expect(model.requests).toHaveLength(1);
  });
});

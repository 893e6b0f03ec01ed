import { describe, expect, it, vi } from 'vitest';
import type { Host, HostApproval } from '../../src/host/index.js';
import { text, toolUse, toolUses } from '../../src/testing/index.js';
import { hosted, isApproval, isDone, REF, shared, shop, until, words } from './support/host.js';

const pay = (amount: number) => toolUse('mcp__shop__pay', { amount });

const waits = (host: Host, state = 'waiting') =>
  vi.waitFor(async () => expect((await host.session(REF))?.state).toBe(state));

async function pending(host: Host): Promise<HostApproval> {
  const [approval] = await vi.waitFor(async () => {
    const all = await host.pendingApprovals();
    expect(all).not.toEqual([]);
    return all;
  });
  return approval as HostApproval;
}

describe('questions of a hosted conversation (R63)', () => {
  it('are answered while the turn still waits, without putting it away', async () => {
    const { server, effects } = shop();
    const { host } = hosted([pay(5), text('Paid.')], { server }, { approvals: { holdMs: 600_000 } });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    const { id } = await pending(host);
    expect(await host.answer(id, { behavior: 'allow', updatedInput: { amount: 4 } })).toBe('taken');
    await until(host, REF, isDone);
    expect(effects).toEqual(['paid 4']);
    expect((await host.stats()).approvals).toEqual({ asked: 1, answered: 1, parked: 0 });
  });

  it('that are denied tell the model why, and the call is not made', async () => {
    const { server, effects } = shop();
    const { host, model } = hosted([pay(5), text('Then not.')], { server });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await waits(host);
    await host.answer((await pending(host)).id, { behavior: 'deny', message: 'Too much.' });
    const events = await until(host, REF, isDone);
    expect(effects).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('Too much.');
    expect(words(events)).toContain('answered');
  });

  it('have one answer: of many at the same time one is taken (scale 5)', async () => {
    const { server, effects } = shop();
    const { host } = hosted([pay(5), text('Paid.')], { server });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await waits(host);
    const { id } = await pending(host);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => host.answer(id, { behavior: 'allow' })),
    );
    expect(answers.toSorted()).toEqual([...Array(7).fill('already'), 'taken']);
    await until(host, REF, isDone);
    expect(effects).toEqual(['paid 5']);
  });

  it('of several calls of one answer wait together, and each is answered for itself, across restarts', async () => {
    const { server, effects } = shop({ concurrency: 'parallel' });
    const storage = shared();
    const calls = toolUses([1, 2, 3].map((amount) => ({ name: 'mcp__shop__pay', input: { amount } })));
    {
      const { host } = hosted([calls], { server }, { storage });
      await using _ = host;
      await host.send(REF, 'Pay them.');
      await waits(host);
      expect(await host.pendingApprovals()).toHaveLength(3);
    }
    for (const [amount, restart] of [
      [2, 0],
      [1, 1],
    ] as const) {
      const { host } = hosted([], { server }, { storage });
      await using _ = host;
      const all = await host.pendingApprovals();
      expect(all).toHaveLength(3 - restart);
      const one = all.find((approval) => 'input' in approval && approval.input.amount === amount);
      await host.answer(one?.id ?? '', { behavior: 'allow' });
      await vi.waitFor(() => expect(effects).toHaveLength(restart + 1));
      await waits(host);
    }
    const { host, model } = hosted([text('Two are paid.')], { server }, { storage });
    await using _ = host;
    await host.answer((await pending(host)).id, { behavior: 'deny', message: 'Not that one.' });
    const events = await until(host, REF, isDone);
    expect(effects).toEqual(['paid 2', 'paid 1']);
    expect(model.requests).toHaveLength(1);
    expect(words(events).filter((word) => word === 'approval')).toHaveLength(3);
    expect(words(events).filter((word) => word === 'answered')).toHaveLength(3);
    expect(words(events).filter((word) => word.startsWith('user tool_result'))).toEqual([
      'user tool_result: [{"type":"text","text":"Paid 2."}]',
      'user tool_result: [{"type":"text","text":"Paid 1."}]',
      expect.stringContaining('Not that one.'),
    ]);
  });

  it('are not put away while another call of the turn still runs: that one would be cut off', async () => {
    let finish = (): void => {};
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { server, effects } = shop({ concurrency: 'parallel' }, () => running);
    const script = [
      toolUses([
        { name: 'mcp__shop__pay', input: { amount: 1 } },
        { name: 'mcp__shop__pay', input: { amount: 2 } },
      ]),
      text('Done.'),
    ];
    const canUseTool = async (_name: string, input: Record<string, unknown>) =>
      input.amount === 1 ? ({ behavior: 'allow', updatedInput: input } as const) : null;
    const { host } = hosted(script, { server }, {}, { canUseTool });
    await using _ = host;
    await host.send(REF, 'Pay both.');
    await until(host, REF, isApproval);
    await vi.waitFor(() => expect(effects).toEqual(['paid 1']));
    // Longer than a question is held.
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await host.session(REF))?.state).toBe('running');
    finish();
    await waits(host);
    await host.answer((await pending(host)).id, { behavior: 'allow' });
    await until(host, REF, isDone);
    expect(effects).toEqual(['paid 1', 'paid 2']);
  });

  it('leave prompts waiting that arrive meanwhile, and they follow', async () => {
    const { server } = shop();
    const { host } = hosted([pay(5), text('Paid.'), text('Next.')], { server });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await waits(host);
    const next = await host.send(REF, 'And then?');
    expect((await host.session(REF))?.state).toBe('waiting');
    await host.answer((await pending(host)).id, { behavior: 'allow' });
    const events = await until(
      host,
      REF,
      (message) => isDone(message) && JSON.stringify(message).includes(next.id),
    );
    expect(words(events).slice(-4)).toEqual([
      'user text: And then?',
      'assistant text: Next.',
      'result',
      'done: answered',
    ]);
  });

  it('of the model (AskUserQuestion) are answered by question, days later', async () => {
    const storage = shared();
    const { server } = shop();
    const options = [
      { label: 'Red', description: 'r' },
      { label: 'Blue', description: 'b' },
    ];
    const question = { question: 'Which colour?', header: 'Colour', options, multiSelect: false };
    const agent = { tools: ['AskUserQuestion'] };
    {
      const { host } = hosted(
        [toolUse('AskUserQuestion', { questions: [question] })],
        { server },
        { storage },
        agent,
      );
      await using _ = host;
      await host.send(REF, 'Paint it.');
      await waits(host);
    }
    const { host, model } = hosted([text('Red it is.')], { server }, { storage }, agent);
    await using _ = host;
    const approval = await pending(host);
    expect(approval).toMatchObject({
      kind: 'question',
      input: { questions: [{ question: 'Which colour?' }] },
    });
    await host.answer(approval.id, { answers: { 'Which colour?': 'Red' } });
    await until(host, REF, isDone);
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('Red');
  });

  it('of a server (elicitation) wait in memory if the call must not be made again', async () => {
    const { server, effects } = shop({}, async (context) => {
      const answer = await context.elicit({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return `It was ${answer.action}.`;
    });
    const { host } = hosted([pay(5), text('Done.')], { server }, {}, { allowedTools: ['mcp__shop__*'] });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    const approval = await pending(host);
    expect(approval).toMatchObject({
      kind: 'elicitation',
      request: { serverName: 'shop', message: 'Sure?' },
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await host.session(REF))?.state).toBe('running');
    await host.answer(approval.id, { action: 'accept', content: {} });
    const events = await until(host, REF, isDone);
    expect(effects).toEqual(['paid 5']);
    expect(words(events)).toContain('user tool_result: [{"type":"text","text":"It was accept."}]');
  });

  it('of a server are put away if the call may be made again: then it asks again, and has its answer', async () => {
    const storage = shared();
    const { server, effects } = shop({ annotations: { idempotentHint: true } }, async (context) => {
      const answer = await context.elicit({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return `It was ${answer.action}.`;
    });
    const agent = { allowedTools: ['mcp__shop__*'] };
    {
      const { host } = hosted([pay(5)], { server }, { storage }, agent);
      await using _ = host;
      await host.send(REF, 'Pay 5.');
      await waits(host);
    }
    const { host } = hosted([text('Done.')], { server }, { storage }, agent);
    await using _ = host;
    await host.answer((await pending(host)).id, { action: 'decline' });
    const events = await until(host, REF, isDone);
    expect(effects).toEqual(['paid 5', 'paid 5']);
    expect(words(events)).toContain('user tool_result: [{"type":"text","text":"It was decline."}]');
    expect(words(events).filter((word) => word === 'approval')).toHaveLength(1);
  });

  it('are refused an answer that does not fit, and stay open', async () => {
    const { server } = shop();
    const { host } = hosted([pay(5)], { server });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await waits(host);
    const { id } = await pending(host);
    for (const answer of [
      null,
      {},
      { behavior: 'perhaps' },
      { behavior: 'deny' },
      { action: 'accept' },
      { answers: {} },
      'yes',
    ]) {
      await expect(host.answer(id, answer as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        option: 'answer',
      });
    }
    expect(await host.answer(id, { behavior: 'allow' }, { tenant: 'other' })).toBe('gone');
    expect(await host.answer(id, { behavior: 'allow' }, { tenant: 'acme', session: 'other' })).toBe('gone');
    expect(await host.answer('nonsense', { behavior: 'allow' })).toBe('gone');
    expect(await host.pendingApprovals()).toHaveLength(1);
  });

  it('are told to whoever waits for them, those that wait already first, until the loop is left', async () => {
    const { server } = shop();
    const { host } = hosted(() => pay(1), { server });
    await using _ = host;
    await host.send(REF, 'One.');
    await waits(host);
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const approval of host.approvals({ tenant: 'acme', signal: stop.signal }))
        seen.push(approval.session);
    })();
    await vi.waitFor(() => expect(seen).toEqual(['user-7']));
    await host.send({ tenant: 'other', session: 'x' }, 'Not ours.');
    await host.send({ tenant: 'acme', session: 'user-8' }, 'Two.');
    await vi.waitFor(() => expect(seen).toEqual(['user-7', 'user-8']));
    stop.abort();
    await reading;
  });
});

/** Questions that nobody answers for a while, on both back ends: nothing is held open for them (R63, scale 4). */
import { describe, expect, it } from 'vitest';
import type { HostAnswer } from '../../../src/host/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';
import { isDone, REF, shared, until } from '../support/host.js';
import { putAway, scene, toTheEnd } from './support.js';

const pay = toolUse('mcp__shop__pay', { amount: 5 }, { id: 'toolu_pay' });
const question = 'Which colour?';
const ask = toolUse(
  'AskUserQuestion',
  {
    questions: [
      {
        question,
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'As roses' },
          { label: 'Blue', description: 'As violets' },
        ],
      },
    ],
  },
  { id: 'toolu_ask' },
);

describe.each(BACK_ENDS)('on $name, a question that nobody answers (R63)', (backEnd) => {
  it.each(['in the same program', 'in a program that was started since'])(
    'is put away with its conversation, and the answer makes the call, %s',
    async (where) => {
      await using stage = await scene(backEnd, [pay, text('It is paid.')]);
      const storage = shared();
      const first = stage.host({ storage });
      await using _first = first;
      await first.send(REF, 'Pay 5.');
      const { id, ...asked } = await putAway(first);
      expect(asked).toMatchObject({ kind: 'permission', toolName: 'mcp__shop__pay', input: { amount: 5 } });
      if (where !== 'in the same program') await first.close();
      const host = where === 'in the same program' ? first : stage.host({ storage });
      await using _host = host;
      expect(await host.answer(id, { behavior: 'allow' })).toBe('taken');
      expect(await toTheEnd(host)).toEqual([
        'user text: Pay 5.',
        'assistant tool_use: {"amount":5}',
        'approval',
        'answered',
        'user tool_result: [{"type":"text","text":"Paid 5."}]',
        'assistant text: It is paid.',
        'result',
        'done: answered',
      ]);
      expect(stage.shop.effects).toEqual(['paid 5']);
      expect(stage.read()[0]).toBe('toolu_pay: Paid 5.');
      stage.running.player.assertDone();
      expect(stage.problems).toEqual([]);
    },
  );

  it.each<[string, HostAnswer, string[], string]>([
    ['with another input', { behavior: 'allow', updatedInput: { amount: 4 } }, ['paid 4'], 'Paid 4.'],
    ['by a denial', { behavior: 'deny', message: 'Too much.' }, [], 'Too much.'],
  ])('is answered %s', async (_, answer, effects, read) => {
    await using stage = await scene(backEnd, [pay, text('I see.')]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    await host.answer((await putAway(host)).id, answer);
    expect(await toTheEnd(host)).toContain('assistant text: I see.');
    expect(stage.shop.effects).toEqual(effects);
    expect(stage.lastRequest()).toContain(read);
    stage.running.player.assertDone();
  });

  it('and is then denied stands, whatever rules say by then', async () => {
    await using stage = await scene(backEnd, [pay, text('I see.')]);
    const storage = shared();
    const first = stage.host({ storage });
    await first.send(REF, 'Pay 5.');
    const { id } = await putAway(first);
    await first.close();
    const host = stage.host({ storage }, { allowedTools: ['mcp__shop__*'] });
    await using _host = host;
    await host.answer(id, { behavior: 'deny', message: 'Too much.' });
    await toTheEnd(host);
    expect(stage.shop.effects).toEqual([]);
    expect(stage.lastRequest()).toContain('Too much.');
  });

  it('of the model itself (AskUserQuestion) is answered by question', async () => {
    await using stage = await scene(backEnd, [ask, text('Red it is.')]);
    const host = stage.host({}, { tools: ['AskUserQuestion'] });
    await using _host = host;
    await host.send(REF, 'Choose.');
    const approval = await putAway(host);
    expect(approval).toMatchObject({ kind: 'question', input: { questions: [{ question }] } });
    await host.answer(approval.id, { answers: { [question]: 'Red' } });
    expect(await toTheEnd(host)).toContain('assistant text: Red it is.');
    expect(stage.read()[0]).toMatch(/"Which colour\?" ?= ?"Red"/);
  });

  it('is withdrawn by an interrupt: the turn is over, the call is not made, and prompts follow', async () => {
    await using stage = await scene(backEnd, [pay, text('As you like.')]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    const { id } = await putAway(host);
    await host.interrupt(REF);
    expect((await toTheEnd(host)).slice(-2)).toEqual(expect.arrayContaining(['done: interrupted']));
    expect(await host.pendingApprovals()).toEqual([]);
    expect(await host.answer(id, { behavior: 'allow' })).toBe('gone');
    const { event } = await host.send(REF, 'Leave it.');
    expect(await toTheEnd(host, event)).toContain('assistant text: As you like.');
    expect(stage.shop.effects).toEqual([]);
    expect(stage.lastRequest()).toContain('interrupted');
    stage.running.player.assertDone();
  });

  it('leaves prompts waiting that arrive meanwhile, and they follow', async () => {
    await using stage = await scene(backEnd, [pay, text('It is paid.'), text('You are welcome.')]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    const { id } = await putAway(host);
    const { id: second } = await host.send(REF, 'Thanks.');
    expect((await host.session(REF))?.state).toBe('waiting');
    await host.answer(id, { behavior: 'allow' });
    await until(host, REF, (message) => isDone(message) && JSON.stringify(message).includes(second));
    expect((await host.messages(REF)).map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    stage.running.player.assertDone();
  });

  it('finds its answer at whatever moment that comes', async () => {
    await using stage = await scene(backEnd, ({ messages }) => {
      const last = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
      return last.includes('tool_result') ? text('Paid.') : toolUse('mcp__shop__pay', { amount: 1 });
    });
    const host = stage.host({ approvals: { holdMs: 30 } });
    await using _host = host;
    const count = backEnd.isCli ? 6 : 40;
    const done = (async () => {
      for (let turn = 0; turn < count; turn += 1) {
        const { event } = await host.send(REF, `Pay ${turn}.`);
        await until(host, REF, isDone, event);
      }
    })();
    // From before it is put away to after it was.
    let delay = 0;
    for await (const { id } of host.approvals()) {
      delay = (delay + 13) % 80;
      await new Promise((resolve) => setTimeout(resolve, delay));
      expect(await host.answer(id, { behavior: 'allow' })).toBe('taken');
      if (stage.shop.effects.length >= count - 1) break;
    }
    await done;
    expect(stage.shop.effects).toHaveLength(count);
  });
});

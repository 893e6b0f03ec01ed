/** What goes wrong around conversations on the real CLI: nothing hangs, and nothing that was denied or lost is made. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { text, toolUse, toolUses } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';
import { isDone, REF, shared, until } from '../support/host.js';
import { CLI, processes, putAway, scene, toTheEnd } from './support.js';

const pay = toolUse('mcp__shop__pay', { amount: 5 }, { id: 'toolu_pay' });

describe.each(BACK_ENDS)('on $name, an interrupt', (backEnd) => {
  it('while somebody is still asked ends the turn, and the conversation goes on', async () => {
    await using stage = await scene(backEnd, [pay, text('As you like.')]);
    const host = stage.host({ approvals: { holdMs: 600_000 } });
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    await expect.poll(() => host.pendingApprovals()).toHaveLength(1);
    await host.interrupt(REF);
    const told = await toTheEnd(host);
    expect(told.at(-1)).toBe('done: interrupted');
    expect(told).toContain('withdrawn');
    const { event } = await host.send(REF, 'Leave it.');
    expect(await toTheEnd(host, event)).toContain('assistant text: As you like.');
    expect(stage.shop.effects).toEqual([]);
  });
});

describe('on the CLI', () => {
  it('a conversation whose idle process was killed gets another one', async () => {
    await using stage = await scene(CLI, [text('One.'), text('Two.')]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'First');
    await until(host, REF, isDone);
    for (const pid of processes()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => host.stats()).toMatchObject({ open: 0, processes: 0 });
    const { event } = await host.send(REF, 'Second');
    expect(await toTheEnd(host, event)).toContain('assistant text: Two.');
    expect(stage.lastRequest()).toContain('First');
    expect(stage.problems).toEqual([]);
  });

  it('a process that was killed in the middle of an answer is replaced, and the prompt is read once', async () => {
    let isFirst = true;
    await using stage = await scene(CLI, async () => {
      if (!isFirst) return text('Here I am.');
      isFirst = false;
      // By now the prompt is stored.
      await new Promise((resolve) => setTimeout(resolve, 500));
      for (const pid of processes()) process.kill(pid, 'SIGKILL');
      return text('Nobody reads this.');
    });
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Are you there?');
    const told = await toTheEnd(host);
    expect(told.slice(told.indexOf('resumed'))).toEqual([
      'resumed',
      'user text: Are you there?',
      'assistant text: Here I am.',
      'result',
      'done: answered',
    ]);
    expect((await host.messages(REF)).map(({ type }) => type)).toEqual(['user', 'assistant']);
    expect(stage.lastRequest().match(/Are you there/g)).toHaveLength(1);
    expect(stage.problems).toHaveLength(1);
  });

  it('a call that was allowed and whose tool is gone by then is not made, and the model is told', async () => {
    shortened();
    await using stage = await scene(CLI, [pay, text('I see.')]);
    const storage = shared();
    const first = stage.host({ storage });
    await first.send(REF, 'Pay 5.');
    const { id } = await putAway(first);
    await first.close();
    const host = stage.host({ storage }, { mcpServers: {} });
    await using _host = host;
    await host.answer(id, { behavior: 'allow' });
    expect((await toTheEnd(host)).at(-1)).toBe('done: answered');
    expect(stage.lastRequest()).toContain('its tool is no longer available');
    expect(stage.problems.map(({ error }) => String(error))).toEqual([
      expect.stringContaining('whose tool is no longer there'),
    ]);
  });

  it('settings that turn hooks off do not turn off what the host has to know of calls', async () => {
    const calls = toolUses([
      { name: 'mcp__shop__pay', id: 'toolu_1', input: { amount: 1 } },
      { name: 'mcp__shop__pay', id: 'toolu_2', input: { amount: 2 } },
    ]);
    await using stage = await scene(CLI, [calls, text('I see.')]);
    const host = stage.host({}, { settings: { disableAllHooks: true } });
    await using _host = host;
    await host.send(REF, 'Pay 1 and 2.');
    await host.answer((await putAway(host)).id, { behavior: 'allow' });
    expect((await toTheEnd(host)).at(-1)).toBe('done: answered');
    expect(stage.shop.effects).toEqual(['paid 1']);
    expect(stage.read()).toContainEqual(expect.stringMatching(/^toolu_2: This call was not made/));
  });

  it('a permission that an answer brings along holds for the conversation, until its process ends', async () => {
    await using stage = await scene(CLI, [
      pay,
      toolUse('mcp__shop__pay', { amount: 6 }),
      text('Both are paid.'),
    ]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay.');
    const approval = await putAway(host);
    const suggestions = 'suggestions' in approval ? (approval.suggestions ?? []) : [];
    const updatedPermissions = suggestions.map((each) => ({ ...each, destination: 'session' as const }));
    await host.answer(approval.id, { behavior: 'allow', updatedPermissions });
    await until(host, REF, isDone);
    expect(stage.shop.effects).toEqual(['paid 5', 'paid 6']);
  });
});

/** A tool that is gone is found out after half a minute. */
function shortened(): void {
  const limits = LIMITS as { hostUnavailableMs: readonly number[] };
  const { hostUnavailableMs } = limits;
  limits.hostUnavailableMs = [0, 50];
  onTestFinished(() => {
    limits.hostUnavailableMs = hostUnavailableMs;
  });
}

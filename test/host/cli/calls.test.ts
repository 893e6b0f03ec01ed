/** Calls on the real CLI whose process ends before they do: which are made, which are not, and what the model is told (R63, R64). */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { newestTranscript } from '../../../src/host/conversations/hosted-store.js';
import type { Host, HostApproval, HostStorage } from '../../../src/host/index.js';
import { createSdkMcpServer, type Options, tool } from '../../../src/index.js';
import { type ScriptedRequest, text, toolUse, toolUses } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';
import { isDone, REF, shared, shop, until } from '../support/host.js';
import { CLI, processes, putAway, scene, toTheEnd } from './support.js';

const pay = (amount: number, id = 'toolu_pay') => toolUse('mcp__shop__pay', { amount }, { id });
const both = toolUses([
  { name: 'mcp__shop__pay', id: 'toolu_1', input: { amount: 1 } },
  { name: 'mcp__shop__pay', id: 'toolu_2', input: { amount: 2 } },
]);
const free: Options = { allowedTools: ['mcp__shop__*', 'Agent', 'Task'] };

const asked = (host: Host, count = 1): Promise<HostApproval[]> =>
  vi.waitFor(async () => {
    const all = await host.pendingApprovals();
    expect(all).toHaveLength(count);
    return all;
  });

/** A server of its own process, whose tool writes a line. */
const STDIO = `
  const lines = require('node:readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize')
      answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
    else if (method === 'tools/list') answer({ tools: [{ name: 'write', description: 'Writes', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') {
      require('node:fs').appendFileSync('ran.txt', 'once\\n');
      answer({ content: [{ type: 'text', text: 'Written.' }] });
    } else if (id !== undefined) answer({});
  });`;

describe('a call that somebody has to allow, and whose process has ended meanwhile', () => {
  it.each([
    ['a built-in tool', toolUse('Bash', { command: 'echo once >> ran.txt', description: 'Writes' })],
    ['a tool of a server elsewhere', toolUse('mcp__files__write', {})],
  ])('is made once if it is one of %s, and not if it is denied', async (_, call) => {
    for (const [answer, ran] of [
      [{ behavior: 'deny', message: 'No.' }, []],
      [{ behavior: 'allow' }, ['once']],
    ] as const) {
      await using stage = await scene(CLI, [call, text('I see.')]);
      const files = { command: process.execPath, args: ['-e', STDIO] };
      const host = stage.host({}, { mcpServers: { files } });
      await using _host = host;
      await host.send(REF, 'Write.');
      await host.answer((await putAway(host)).id, answer);
      expect((await toTheEnd(host)).at(-1)).toBe('done: answered');
      expect(stage.ran()).toEqual(ran);
      stage.running.player.assertDone();
      expect(stage.problems).toEqual([]);
    }
  });

  it('is the only one of its answer that is made: of those after it the model is told that they were not', async () => {
    await using stage = await scene(CLI, [both, pay(2, 'toolu_3'), text('Both are paid.')]);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay 1 and 2.');
    await host.answer((await putAway(host)).id, { behavior: 'allow' });
    const [second] = await asked(host);
    expect(second).toMatchObject({ toolUseId: 'toolu_3' });
    const read = stage.read();
    expect(read).toContain('toolu_1: Paid 1.');
    expect(read).toContainEqual(expect.stringMatching(/^toolu_2: This call was not made: .* Make it again/));
    await host.answer(second?.id ?? '', { behavior: 'allow' });
    const told = await toTheEnd(host);
    expect(told.filter((word) => word.startsWith('user tool_result'))).toHaveLength(3);
    expect(stage.shop.effects).toEqual(['paid 1', 'paid 2']);
  });

  it.each([
    ['allowed', { behavior: 'allow' } as const, ['paid 2'], 'Paid 2.'],
    ['denied', { behavior: 'deny', message: 'Not that.' } as const, ['paid 1'], 'Not that.'],
  ])('of several that are asked about at once: the one that is %s', async (how, answer, effects, read) => {
    const own = shop({ concurrency: 'parallel' });
    await using stage = await scene(CLI, [both, text('I see.')], own);
    const host = stage.host();
    await using _host = host;
    await host.send(REF, 'Pay 1 and 2.');
    await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('waiting'));
    const [first, second] = (await asked(host, 2)).toSorted((left, right) =>
      JSON.stringify(left).includes('toolu_1') ? -1 : JSON.stringify(right).includes('toolu_1') ? 1 : 0,
    );
    await host.answer(second?.id ?? '', answer);
    if (how === 'denied') {
      // No process is needed to know that the other one still waits.
      await vi.waitFor(async () =>
        expect(await host.session(REF)).toMatchObject({ state: 'waiting', inbox: 1 }),
      );
      expect(processes()).toEqual([]);
      expect(await asked(host)).toMatchObject([{ toolUseId: 'toolu_1' }]);
      await host.answer(first?.id ?? '', { behavior: 'allow' });
    }
    const told = await toTheEnd(host);
    expect(own.effects).toEqual(effects);
    expect(stage.lastRequest()).toContain(read);
    expect(told.includes('withdrawn')).toBe(how === 'allowed');
    if (how === 'allowed') {
      expect(stage.read()).toContainEqual(expect.stringMatching(/^toolu_1: This call was not made/));
      expect(await host.answer(first?.id ?? '', { behavior: 'allow' })).toBe('gone');
    }
  });

  it('is asked about again if its process was killed, and people see one question', async () => {
    await using stage = await scene(CLI, [pay(5), text('It is paid.')]);
    const host = stage.host({ approvals: { holdMs: 600_000 } });
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    const [before] = await asked(host);
    for (const pid of processes()) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(stage.problems).toHaveLength(1));
    const [after] = await asked(host);
    expect(after?.id).toBe(before?.id);
    await host.answer(before?.id ?? '', { behavior: 'allow' });
    expect((await toTheEnd(host)).at(-1)).toBe('done: answered');
    expect(stage.shop.effects).toEqual(['paid 5']);
  });
});

describe.each(BACK_ENDS)('on $name, a call that runs when its program ends', (backEnd) => {
  it.each([
    ['that somebody has allowed', {}],
    ['that needs nobody', free],
  ])('%s is not made again, and the model is told that nobody knows', async (_, agent: Options) => {
    const own = shop({}, ({ signal }) => wait(600_000, undefined, { signal }).catch(() => {}));
    await using stage = await scene(backEnd, [pay(5), text('I will look.')], own);
    const storage = shared();
    const first = stage.host({ storage }, agent);
    await first.send(REF, 'Pay 5.');
    if (agent !== free) await first.answer((await putAway(first)).id, { behavior: 'allow' });
    await vi.waitFor(() => expect(own.effects).toEqual(['paid 5']));
    await first.close();
    const host = stage.host({ storage }, agent);
    await using _host = host;
    expect((await toTheEnd(host)).at(-1)).toBe('done: answered');
    expect(own.effects).toEqual(['paid 5']);
    expect(stage.lastRequest()).toMatch(/outcome (of this call )?is unknown/);
    stage.running.player.assertDone();
  });
});

describe('on the CLI, a call', () => {
  it('does not begin before it is in the transcript: else a program that is killed would make it again', async () => {
    const storage = shared();
    const stored: boolean[] = [];
    const own = shop({}, async () => {
      stored.push(JSON.stringify(await entriesOf(storage)).includes('toolu_pay'));
    });
    await using stage = await scene(CLI, [pay(5), text('It is paid.')], own);
    const host = stage.host({ storage }, free);
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    await until(host, REF, isDone);
    expect(stored).toEqual([true]);
  });

  it('of a subagent is asked about in memory: it is part of the call that has started the subagent', async () => {
    await using stage = await scene(CLI, ({ messages }: ScriptedRequest) => {
      const said = JSON.stringify(messages);
      if (JSON.stringify(messages[0]).includes('Begin')) {
        const input = { description: 'd', prompt: 'Help', subagent_type: 'helper', run_in_background: false };
        return said.includes('"tool_use"') ? text('Main done.') : toolUse('Agent', input);
      }
      return said.includes('tool_result') ? text('Sub done.') : pay(5);
    });
    const agents = { helper: { description: 'Helps', prompt: 'You help.' } };
    const host = stage.host({ approvals: { holdMs: 1 } }, { agents, allowedTools: ['Agent', 'Task'] });
    await using _host = host;
    await host.send(REF, 'Begin.');
    const [approval] = await asked(host);
    expect(approval).toMatchObject({ agentId: expect.any(String) });
    await staysRunning(host);
    await host.answer(approval?.id ?? '', { behavior: 'allow' });
    expect(await toTheEnd(host)).toContain('assistant text: Main done.');
    expect(stage.shop.effects).toEqual(['paid 5']);
  });

  it('whose server asks people keeps its process: it has begun', async () => {
    const ask = tool('pay', 'Pays', {}, async (_args, { elicit }) => {
      const answer = await elicit?.({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return `They said ${answer?.action}.`;
    });
    const server = createSdkMcpServer({ name: 'shop', tools: [ask], alwaysLoad: true });
    await using stage = await scene(CLI, [pay(5), text('I see.')], { server, effects: [] });
    const host = stage.host({ approvals: { holdMs: 1 } }, free);
    await using _host = host;
    await host.send(REF, 'Pay 5.');
    const [approval] = await asked(host);
    expect(approval).toMatchObject({ kind: 'elicitation' });
    await staysRunning(host);
    await host.answer(approval?.id ?? '', { action: 'accept', content: {} });
    expect(await toTheEnd(host)).toContain('assistant text: I see.');
    expect(stage.read()).toContain('toolu_pay: They said accept.');
  });
});

async function entriesOf(storage: HostStorage): Promise<unknown> {
  return (await newestTranscript(storage.transcript(REF)))?.entries;
}

/** Far longer than questions are held. */
async function staysRunning(host: Host): Promise<void> {
  await wait(200);
  expect((await host.session(REF))?.state).toBe('running');
  expect(processes()).toHaveLength(1);
}

/** Agents that are started ahead of time (issue 6): `startup()` and `prewarm()`, with the real CLI. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  type Options,
  prewarm,
  type SDKSystemMessage,
  startup,
  tool,
} from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { fakeCli } from '../support/fake-cli.js';
import { alive, collect } from '../support/real-cli.js';
import { type ScriptedCli, scriptedCli } from '../support/scripted-cli.js';

let cli: ScriptedCli;
let options: Options;

beforeAll(async () => {
  cli = await scriptedCli(({ body, toolResults }) =>
    JSON.stringify(body.messages).includes('CALL') && toolResults.length === 0
      ? toolUse('mcp__here__touch')
      : text('Hello.'),
  );
  options = cli.options();
});
afterAll(() => cli[Symbol.asyncDispose]());

const initOf = (messages: readonly unknown[]) =>
  messages.find((message) => (message as SDKSystemMessage).subtype === 'init') as SDKSystemMessage;

describe('startup()', () => {
  it('gives an agent that is ready, and whose tools work', async () => {
    const calls: string[] = [];
    const touch = tool('touch', 'Touches', {}, () => {
      calls.push('touched');
      return 'ok';
    });
    const here = createSdkMcpServer({ name: 'here', tools: [touch] });
    const warm = await startup({
      options: { ...options, mcpServers: { here }, allowedTools: ['mcp__here'] },
    });
    expect(alive(warm.pid ?? 0)).toBe(true);
    const query = warm.query('CALL it');
    expect((await query.initializationResult()).commands.length).toBeGreaterThan(0);
    const { messages, error } = await collect(query);
    expect(error).toBeUndefined();
    expect(calls).toEqual(['touched']);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
    expect(() => warm.query('again')).toThrow(/only be called once/);
    expect(await warm.exited).toEqual({ code: 0, signal: null });
  });

  it('that is not used can be closed, and nothing is left', async () => {
    const warm = await startup({ options });
    const { pid = 0 } = warm;
    await warm.close();
    expect(alive(pid)).toBe(false);
    expect(() => warm.query('late')).toThrow(/not after close/);
  });

  it.each([
    ['within 5 ms', { initializeTimeoutMs: 5 }, {}, { code: 'STARTUP_TIMEOUT' }],
    ['with a flag that the CLI does not know', {}, { extraArgs: { nope: null } }, { code: 'BAD_FLAG' }],
    ['with a mistake in the options', {}, { cwd: 5 as never }, { code: 'INVALID_OPTION' }],
  ])('rejects %s when the agent cannot be had', async (_, parameters, more, expected) => {
    await expect(startup({ ...parameters, options: { ...options, ...more } })).rejects.toMatchObject(
      expected,
    );
  });

  it('works with the runtime too', async () => {
    const warm = await startup({ options: { runtime: embedded({ model: scriptedModel(['Hello.']) }) } });
    expect((await collect(warm.query('Hi'))).messages.at(-1)).toMatchObject({ result: 'Hello.' });
  });
});

describe('prewarm()', () => {
  const host = (): Options => {
    const { cwd: _cwd, ...rest } = options;
    return rest;
  };

  it('gives a process that takes a directory, a model, a mode, a title and settings with the prompt', async () => {
    const folder = join(cli.box.home, 'claimed');
    await mkdir(folder);
    const spare = await prewarm({ options: host() });
    expect(await readdir(join(cli.box.configDir, 'spares'))).toHaveLength(1);
    const query = spare.claim({
      prompt: 'Hi',
      options: {
        cwd: folder,
        model: 'claude-sonnet-5-5',
        permissionMode: 'plan',
        title: 'Claimed',
        appendSystemPrompt: 'APPENDED WORDS',
        settings: { effortLevel: 'high', permissions: { deny: ['WebFetch'] } },
        maxThinkingTokens: 2_000,
      },
    });
    const { messages, error } = await collect(query);
    expect(error).toBeUndefined();
    expect(initOf(messages)).toMatchObject({
      cwd: folder,
      model: 'claude-sonnet-5-5',
      permissionMode: 'plan',
    });
    const claimed = await spare.claimed;
    expect(claimed).toMatchObject({
      cwd: folder,
      sessionId: initOf(messages).session_id,
      sdkMcpSettled: true,
    });
    expect(claimed.parkedMs).toBeGreaterThan(0);
    expect((await query.initializationResult()).current_permission_mode).toBe('plan');
    expect(JSON.stringify(cli.api.requests.at(-1)?.body.system)).toContain('APPENDED WORDS');
    expect(() => spare.claim({ prompt: 'again', options: { cwd: folder } })).toThrow(/only be called once/);
    await spare.exited;
    expect(await readdir(join(cli.box.configDir, 'spares'))).toEqual([]);
  });

  it('keeps its in-process tools over the claim', async () => {
    const calls: string[] = [];
    const touch = tool('touch', 'Touches', {}, () => {
      calls.push('touched');
      return 'ok';
    });
    const here = createSdkMcpServer({ name: 'here', tools: [touch] });
    await using spare = await prewarm({
      options: { ...host(), mcpServers: { here }, allowedTools: ['mcp__here'] },
    });
    const { messages } = await collect(spare.claim({ prompt: 'CALL it', options: { cwd: cli.box.cwd } }));
    expect(messages.at(-1)).toMatchObject({ result: 'Hello.' });
    expect(calls).toEqual(['touched']);
  });

  it('refuses a directory that is not there: the query ends with the reason, and nothing was asked', async () => {
    const before = cli.api.requests.length;
    const spare = await prewarm({ options: host() });
    const query = spare.claim({ prompt: 'Hi', options: { cwd: join(cli.box.home, 'missing') } });
    await expect(spare.claimed).rejects.toThrow(/^cwd_not_found/);
    const { messages, error } = await collect(query);
    expect(error).toMatchObject({ code: 'CLAIM_REFUSED', message: expect.stringMatching(/^cwd_not_found/) });
    expect(messages.filter(({ type }) => type === 'result')).toEqual([]);
    await spare.exited;
    expect(cli.api.requests.length).toBe(before);
  });

  it('refuses a mode that it was not started for, and a folder whose settings it cannot take', async () => {
    const folder = join(cli.box.home, 'with-settings');
    await mkdir(join(folder, '.claude'), { recursive: true });
    await writeFile(join(folder, '.claude/settings.json'), JSON.stringify({ env: { A: '1' } }));
    for (const [claim, reason] of [
      [{ cwd: cli.box.cwd, permissionMode: 'bypassPermissions' }, /^permission_mode_not_claimable/],
      [{ cwd: folder }, /^project_settings_not_claimable/],
    ] as const) {
      await using spare = await prewarm({ options: host() });
      const query = spare.claim({ prompt: 'Hi', options: claim });
      await expect(spare.claimed).rejects.toThrow(reason);
      expect((await collect(query)).error).toMatchObject({ code: 'CLAIM_REFUSED' });
    }
  });

  it('runs without a model that it cannot have, and says so', async () => {
    const spare = await prewarm({ options: { ...host(), settings: { availableModels: ['opus'] } } });
    const query = spare.claim({ prompt: 'Hi', options: { cwd: cli.box.cwd, model: 'claude-haiku-4-5' } });
    const refused = await spare.claimed.then(
      () => undefined,
      (error: Error & { claim?: unknown }) => error,
    );
    expect(refused?.message).toMatch(/^option_not_applied/);
    expect(refused?.claim).toMatchObject({ cwd: cli.box.cwd });
    expect((await collect(query)).messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
  });

  it('that is not claimed can be closed; settings of hooks, and no directory, are refused before anything is sent', async () => {
    const spare = await prewarm({ options: host() });
    expect(() =>
      spare.claim({ prompt: 'x', options: { cwd: cli.box.cwd, settings: { hooks: {} } } }),
    ).toThrow(/hook settings \(hooks\).*can still be claimed/s);
    expect(() => spare.claim({ prompt: 'x', options: {} as never })).toThrow(/options\.cwd/);
    const { pid = 0 } = spare;
    await spare.close();
    await expect(spare.claimed).rejects.toThrow(/^spare_closed/);
    expect(alive(pid)).toBe(false);
    expect(() => spare.claim({ prompt: 'x', options: { cwd: cli.box.cwd } })).toThrow(/call query\(\)/);
  });

  it.each<[string, Options, object]>([
    [
      'servers that are refused',
      { strictMcpConfig: true, mcpServers: { bad: { type: 'http' } as never } },
      { message: expect.stringContaining('bad') },
    ],
    [
      'an agent that does not start',
      { executable: 'no-such-interpreter' as 'node', pathToClaudeCodeExecutable: fakeCli('well-behaved') },
      {},
    ],
  ])('leaves no directory behind after %s', async (_, bad, reason) => {
    const before: string[] = await readdir(join(cli.box.configDir, 'spares')).catch(() => []);
    await expect(prewarm({ options: { ...host(), ...bad } })).rejects.toMatchObject(reason);
    const after = await readdir(join(cli.box.configDir, 'spares')).catch(() => []);
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  it('has nothing to do for an embedded runtime, and says so', async () => {
    const runtime = embedded({ model: scriptedModel([]) });
    await expect(prewarm({ options: { runtime } })).rejects.toThrow(/An embedded runtime has none/);
  });
});

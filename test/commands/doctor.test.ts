/** `tenon doctor` and `tenon mcp`: what is configured, and how it is. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEnvironment, checkNode } from '../../src/commands/doctor/machine.js';
import { scriptedMessagesApi } from '../../src/testing/index.js';
import { cliPath, type Sandbox, sandbox } from '../support/real-cli.js';
import { toolsFile } from './support/agent.js';
import { program, tenon } from './support/tenon.js';

const SECRET = 'very-secret-value';

/** A folder with servers that work, fail and cannot be used; one of them also stands in the user's file. */
async function configure({ cwd, configDir }: Sandbox): Promise<void> {
  await mkdir(join(cwd, '.git'));
  const servers = {
    good: {
      command: process.execPath,
      args: [program, 'serve', toolsFile, '--stdio'],
      env: { TOKEN: SECRET },
    },
    absent: { command: 'no-such-program', args: ['--flag'] },
    unset: { type: 'http', url: `https://$\{NO_SUCH_VARIABLE}/mcp`, headers: { Authorization: SECRET } },
  };
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2));
  await writeFile(
    join(configDir, '.claude.json'),
    JSON.stringify({ mcpServers: { good: { command: 'other' } } }),
  );
}

describe('tenon mcp', () => {
  it('list shows every server, where it comes from, what it wins over and what is wrong (R28)', async () => {
    await using box = sandbox();
    await configure(box);
    const { code, stdout } = await tenon(['mcp', 'list'], { cwd: box.cwd, env: box.env() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ good +stdio .*serve/m);
    expect(stdout).toMatch(/^ +project, \.mcp\.json:3; wins over user, .*\.claude\.json:1$/m);
    expect(stdout).toMatch(/^✗ unset +http https:\/\/\$\{NO_SUCH_VARIABLE\}\/mcp$/m);
    expect(stdout).toMatch(/^✗ \.mcp\.json:\d+: .*NO_SUCH_VARIABLE, which is not set/m);
    expect(stdout).not.toContain(SECRET);
  });

  it('get shows one server and why it is this one; an unknown name exits with 1', async () => {
    await using box = sandbox();
    await configure(box);
    const run = (...args: string[]) => tenon(['mcp', 'get', ...args], { cwd: box.cwd, env: box.env() });
    const [good, wrong, json, jsonWrong] = await Promise.all([
      run('good'),
      run('goof'),
      run('good', '--json'),
      run('goof', '--json'),
    ]);
    expect(good.stdout).toMatch(/env +TOKEN\n/);
    expect(good.stdout).toMatch(/wins over +user, .*: "project" takes precedence over "user"/);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('no server "goof" is configured here. Did you mean "good"?');
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'good', origin: { place: 'project', line: 3 } });
    expect(JSON.parse(jsonWrong.stdout)).toMatchObject({ type: 'error', code: 'NOT_CONFIGURED' });
    expect(good.stdout + json.stdout).not.toContain(SECRET);
  });

  it('says where it looked when nothing is configured', async () => {
    await using box = sandbox();
    const { stdout } = await tenon(['mcp', 'list'], { cwd: box.cwd, env: box.env() });
    expect(stdout).toMatch(/^No MCP servers are configured here\. Looked for .*mcp\.json/);
  });
});

describe.each([
  ['cli', { CLAUDE_CODE_EXECUTABLE: cliPath }],
  ['embedded', {}],
])('tenon doctor on the runtime "%s"', (runtime, found) => {
  const args = ['doctor', '--runtime', runtime, '--timeout', '20'];

  it('shows each server with its source, state, reason and remedy, and exits with 1', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([]);
    await configure(box);
    const env = box.env(api, { ...found, CLAUDECODE: '1' });
    const { code, stdout } = await tenon(args, { cwd: box.cwd, env });
    expect(stdout).toMatch(/^✓ Node \d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^! CLAUDECODE is set.*\n {2}→ .*unset CLAUDECODE$/m);
    expect(stdout).toMatch(/^[✓!] The (CLI|embedded runtime) answers \(/m);
    expect(stdout).toMatch(/^✓ MCP server "good" \(project, \.mcp\.json:3\) is connected: 5 tools$/m);
    expect(stdout).toMatch(
      /^✗ MCP server "absent" .* failed: .*no-such-program.*\n {2}→ Install it, or give its full path: no-such-program$/m,
    );
    expect(stdout).toMatch(
      /^✗ MCP server "unset" .*NO_SUCH_VARIABLE, which is not set.*\n {2}→ Correct \.mcp\.json$/m,
    );
    expect(stdout).not.toContain(SECRET);
    expect(code).toBe(1);
  });

  it('exits with 0 when all is well, and is JSON for a script', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([]);
    const env = box.env(api, found);
    const { code, stdout } = await tenon([...args, '--json'], { cwd: box.cwd, env });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: true, errors: 0 });
    expect(report.findings.map(({ check }: { check: string }) => check)).toContain('handshake');
    expect(code).toBe(0);
    // The doctor does not call a model.
    expect(api.requests).toEqual([]);
  });
});

describe('tenon doctor', () => {
  it('says what to do when there is no CLI and no key, and which file could not be used', async () => {
    await using box = sandbox();
    const broken = join(box.cwd, 'claude');
    await writeFile(broken, '');
    await chmod(broken, 0o644);
    const env = { HOME: box.home, PATH: '', CLAUDE_CODE_EXECUTABLE: broken };
    const { code, stdout } = await tenon(['doctor'], { cwd: box.cwd, env });
    expect(stdout).toMatch(/^✗ No Claude Code CLI was found$/m);
    expect(stdout).toContain('npm install @anthropic-ai/claude-code');
    expect(stdout).toContain(`${broken} cannot be used: not executable`);
    expect(code).toBe(1);
  });

  it('tells of a CLI that does not answer, within bounds', async () => {
    await using box = sandbox();
    const mute = join(box.cwd, 'claude');
    await writeFile(mute, '#!/bin/sh\necho "broken installation" >&2\nexit 3\n');
    await chmod(mute, 0o755);
    const env = box.env(undefined, { CLAUDE_CODE_EXECUTABLE: mute });
    const { code, stdout } = await tenon(['doctor'], { cwd: box.cwd, env });
    expect(stdout).toMatch(/^! Claude Code CLI: .* does not report its version\n {2}→ See what it prints:/m);
    expect(stdout).toMatch(/^✗ The CLI does not answer: .*broken installation/ms);
    expect(code).toBe(1);
  });

  it('knows a Node that is too old, and variables that get in the way', () => {
    expect(checkNode('18.20.0')).toMatchObject({ state: 'error', remedy: 'nvm install 22' });
    expect(checkNode('20.18.3')).toMatchObject({ state: 'error' });
    expect(checkNode('20.19.0')).toMatchObject({ state: 'ok' });
    expect(checkNode('24.1.0')).toMatchObject({ state: 'ok' });
    const variables = (env: Record<string, string>) =>
      checkEnvironment(env).map(({ state, details }) => (state === 'ok' ? 'ok' : details?.variable));
    expect(variables({})).toEqual(['ok']);
    expect(variables({ CLAUDE_CODE_ENTRYPOINT: 'cli' })).toEqual(['CLAUDE_CODE_ENTRYPOINT']);
    expect(variables({ ANTHROPIC_API_KEY: 'key\n' })).toEqual(['ANTHROPIC_API_KEY']);
    expect(variables({ ANTHROPIC_API_KEY: 'a', ANTHROPIC_AUTH_TOKEN: 'b' })).toEqual(['ANTHROPIC_API_KEY']);
  });
});

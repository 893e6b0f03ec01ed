/** `hermetic` and `isolation: 'session'`: what a query reads of the machine, and what it leaves there (pains 24, 40; wish 12). */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OptionError, type Options, query } from '../../src/index.js';
import { ask, BACK_ENDS, serversOf } from '../support/back-ends.js';
import { alive, type Sandbox, waitUntil } from '../support/real-cli.js';
import { temporaryDirectory } from '../support/temporary.js';

const temporary = temporaryDirectory();
const program = fileURLToPath(new URL('../fixtures/mcp/by-hand.mjs', import.meta.url));
const recorder = fileURLToPath(new URL('../fixtures/launch-recorder.mjs', import.meta.url));
const [claudeCode] = BACK_ENDS;
if (claudeCode === undefined) throw new Error('no CLI');

function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

/** A home and a project full of things that a hermetic query must not see; hooks that run leave a mark. */
function poison(box: Sandbox): { cwd: string; hookMarks: () => string } {
  const cwd = join(box.cwd, 'inner');
  mkdirSync(cwd);
  execFileSync('git', ['init', '-q'], { cwd: box.cwd });
  const marks = join(box.home, 'hook-marks');
  const hook = (name: string) => [{ hooks: [{ type: 'command', command: `echo ${name} >> '${marks}'` }] }];
  const settings = (name: string) => ({
    hooks: { SessionStart: hook(`start-${name}`), UserPromptSubmit: hook(name) },
    env: { POISON: name },
  });
  const servers = (name: string) => ({
    mcpServers: { [`POISON-${name}`]: { command: process.execPath, args: [program] } },
  });
  const agent = (name: string) => `---\nname: POISON-${name}\ndescription: POISON agent\n---\nPOISON`;
  for (const config of [box.configDir, join(box.home, '.claude')]) {
    put(join(config, 'settings.json'), settings('user'));
    put(join(config, 'CLAUDE.md'), 'POISON in the memory of the user');
    put(join(config, 'agents', 'poison.md'), agent('user'));
    put(join(config, 'commands', 'poison.md'), 'POISON command');
    put(
      join(config, 'skills', 'poison', 'SKILL.md'),
      '---\nname: POISON-skill\ndescription: POISON\n---\nPOISON',
    );
    put(join(config, 'mcp.json'), servers('user-file'));
  }
  put(join(box.configDir, '.claude.json'), servers('user'));
  put(join(box.home, '.claude.json'), servers('home'));
  put(join(box.cwd, '.mcp.json'), servers('project'));
  put(join(box.cwd, '.claude', 'mcp.json'), servers('project-file'));
  put(join(cwd, '.claude', 'mcp.local.json'), servers('local-file'));
  put(join(box.cwd, '.claude', 'settings.json'), settings('project'));
  put(join(cwd, '.claude', 'settings.local.json'), settings('local'));
  put(join(box.cwd, 'CLAUDE.md'), 'POISON in the memory of the project');
  put(join(cwd, 'CLAUDE.md'), 'POISON in the working directory');
  put(join(box.cwd, '.claude', 'agents', 'poison.md'), agent('project'));
  return { cwd, hookMarks: () => (existsSync(marks) ? readFileSync(marks, 'utf8') : '') };
}

const privateDirectories = () => readdirSync(temporary).filter((name) => /^tenon-[0-9a-f]{8}-/.test(name));

/** Every file below, with what is in it. */
function contents(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    lstatSync(join(root, name)).isFile(),
  );
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

describe.each(BACK_ENDS)('with $name', ({ start, isCli }) => {
  it('a hermetic query sees nothing of a poisoned home and project, and changes nothing there (pain 40)', async () => {
    await using agent = await start(['Clean.']);
    const { cwd, hookMarks } = poison(agent.box);
    const before = [contents(agent.box.configDir), contents(agent.box.home), contents(agent.box.cwd)];
    const mcpServers = { mine: { command: process.execPath, args: [program] } };
    const { messages, error } = await ask(
      agent.options({
        cwd,
        hermetic: true,
        mcpServers,
        systemPrompt: { type: 'preset', preset: 'claude_code' },
      }),
    );
    expect(error).toBeUndefined();
    expect(serversOf(messages)).toMatchObject([{ name: 'mine', status: 'connected' }]);
    expect(`${JSON.stringify(messages)} ${agent.sent()}`).not.toContain('POISON');
    expect(hookMarks()).toBe('');
    expect([contents(agent.box.configDir), contents(agent.box.home), contents(agent.box.cwd)]).toEqual(
      before,
    );
    expect(privateDirectories()).toEqual([]);
  });

  it('without it the poison is there: the test above can fail', async () => {
    await using agent = await start(['Poisoned.']);
    const { cwd, hookMarks } = poison(agent.box);
    const { messages } = await ask(
      agent.options({ cwd, systemPrompt: { type: 'preset', preset: 'claude_code' } }),
    );
    const names = serversOf(messages).map(({ name }) => name);
    const everywhere = ['user-file', 'user', 'project', 'project-file', 'local-file'];
    expect(names.sort()).toEqual(everywhere.map((name) => `POISON-${name}`).sort());
    if (!isCli) return;
    expect(agent.sent()).toContain('POISON in the memory of the user');
    expect(hookMarks()).toContain('start-user');
  });
});

describe('hermetic', () => {
  it.each<[string, Options]>([
    ['settingSources', { settingSources: ['user'] }],
    ['resume', { resume: '11111111-1111-4111-8111-111111111111' }],
    ['continue', { continue: true }],
  ])('refuses `%s`, which would need what is not there', (option, more) => {
    const start = () => query({ prompt: 'Go.', options: { hermetic: true, ...more } });
    expect(start).toThrow(OptionError);
    expect(start).toThrow(`Give \`hermetic\` or \`${option}\`, not both`);
  });
});

describe('isolation by session', () => {
  /** What a stand-in for the CLI reports of its start. */
  async function launched(options: Options): Promise<{ env: Record<string, string> }> {
    for await (const message of query({
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: recorder, isolation: 'session', ...options },
    })) {
      if ((message.type as string) === 'report') return message as unknown as { env: Record<string, string> };
    }
    throw new Error('no report');
  }

  it('parallel conversations of the real CLI leave the user’s files byte for byte as they were (pain 24)', async () => {
    const COUNT = 4;
    await using agent = await claudeCode.start(Array.from({ length: COUNT }, () => 'Hello.'));
    const { box } = agent;
    put(join(box.configDir, 'settings.json'), { env: { FROM_SETTINGS: '1' } });
    put(join(box.configDir, 'CLAUDE.md'), 'Remember the milk.');
    put(join(box.configDir, '.claude.json'), { hasCompletedOnboarding: true, projects: {} });
    const before = contents(box.configDir);
    const runs = await Promise.all(
      Array.from({ length: COUNT }, () => ask(agent.options({ isolation: 'session' }))),
    );
    for (const { messages, error } of runs) {
      expect(error).toBeUndefined();
      expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    }
    expect(agent.sent()).toContain('Remember the milk.');
    const after = contents(box.configDir);
    for (const [name, text] of Object.entries(before)) expect(after[name], name).toBe(text);
    // What is new are the conversations: one file each.
    const added = Object.keys(after).filter((name) => !(name in before));
    expect(added.filter((name) => name.endsWith('.jsonl'))).toHaveLength(COUNT);
    expect(added.filter((name) => !name.startsWith('projects/'))).toEqual([]);
    expect(privateDirectories()).toEqual([]);
  });

  it('a conversation can be resumed, isolated or not', async () => {
    await using agent = await claudeCode.start(['I am Ada.', 'Still Ada.', 'Ada for ever.']);
    const idOf = ({ messages }: Awaited<ReturnType<typeof ask>>) =>
      (messages.at(-1) as { session_id: string }).session_id;
    const resume = idOf(await ask(agent.options({ isolation: 'session' }), 'Who are you?'));
    expect(idOf(await ask(agent.options({ isolation: 'session', resume }), 'And now?'))).toBe(resume);
    expect(idOf(await ask(agent.options({ resume }), 'And now?'))).toBe(resume);
    expect(agent.sent()).toContain('I am Ada.');
  });

  it('the directory is the user’s alone, has the login as a token in the environment, and goes with the query', async () => {
    await using agent = await claudeCode.start([]);
    const { box } = agent;
    const credentials = (expiresAt: number) => ({
      claudeAiOauth: { accessToken: 'ACCESS', refreshToken: 'REFRESH', expiresAt },
    });
    put(join(box.configDir, '.credentials.json'), credentials(Date.now() + 60_000));
    let mode = 0;
    let names: string[] = [];
    const options: Options = { cwd: box.cwd, env: box.env() };
    const running = query({
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: recorder, isolation: 'session', ...options },
    });
    let directory = '';
    for await (const message of running) {
      if ((message.type as string) !== 'report') continue;
      const { env } = message as unknown as { env: Record<string, string> };
      directory = env.CLAUDE_CONFIG_DIR ?? '';
      mode = statSync(directory).mode & 0o777;
      names = readdirSync(directory);
      expect(env.CLAUDE_CODE_OAUTH_TOKEN).toBe('ACCESS');
    }
    expect(directory).not.toBe(box.configDir);
    expect(mode).toBe(0o700);
    expect(names).toEqual(['projects']);
    expect(existsSync(directory)).toBe(false);
    // With a key there is no need for it, and one that has run out is of no use.
    const withKey = await launched({ ...options, env: box.env(undefined, { ANTHROPIC_API_KEY: 'key' }) });
    expect(withKey.env).not.toHaveProperty('CLAUDE_CODE_OAUTH_TOKEN');
    put(join(box.configDir, '.credentials.json'), credentials(Date.now() - 1));
    expect((await launched(options)).env).not.toHaveProperty('CLAUDE_CODE_OAUTH_TOKEN');
    await waitUntil(() => privateDirectories().length === 0, { what: 'no directory left' });
  });

  it('the directory goes also when the host is killed', async () => {
    const host = `
      import { query } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const running = query({ prompt: (async function* () { await new Promise(() => setInterval(() => {}, 1000)); })(),
        options: { pathToClaudeCodeExecutable: ${JSON.stringify(recorder)}, hermetic: true } });
      for await (const { type, env } of running) if (type === 'report') console.log(JSON.stringify([env.CLAUDE_CONFIG_DIR, running.pid]));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', host], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const [directory, pid] = JSON.parse(line) as [string, number];
    expect(existsSync(directory)).toBe(true);
    child.kill('SIGKILL');
    await waitUntil(() => !existsSync(directory) && !alive(pid), {
      what: 'the directory and the agent are gone',
    });
  });
});

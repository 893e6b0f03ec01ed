/** The command line shared by all examples, run as a program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../../test/support/real-cli.js';
import { terminal } from './terminal.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function run(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, ['scripts/example.mjs', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const [code] = await once(child, 'close');
  return { code, output, errors };
}

it('asks a real model when it is given a question and a key, on either back end', async () => {
  const script = [toolUse('mcp__calculator__add', { a: 2, b: 2 }), text('It is four.')];
  for (const flags of [[], ['--cli']]) {
    await using box = sandbox();
    await using api = await scriptedMessagesApi(script);
    const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
    const { code, output, errors } = await run(env, 'calculator', 'What is', '2 + 2?', ...flags);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toContain('a real model');
    expect(output).toContain('question What is 2 + 2?');
    expect(output).toMatch(/result {3}calculator\.add \(.*\) → 4/);
    expect(output).toContain('It is four.');
    expect(api.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'What is 2 + 2?',
      'What is 2 + 2?',
    ]);
    api.assertDone();
  }
});

it('says what a question of your own needs, and lists what there is', async () => {
  const question = await run({}, 'utilities', 'What time is it?');
  expect(question).toMatchObject({ code: 1, output: '' });
  expect(question.errors).toContain('A real model needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL.');

  const unknown = await run({}, 'nothing');
  expect(unknown).toMatchObject({ code: 1, output: '' });
  expect(unknown.errors).toContain('There is no example "nothing".');
  expect(unknown.errors).toContain('calculator ');

  const flag = await run({}, 'utilities', '--loud');
  expect(flag.code).toBe(1);
  expect(flag.errors).toContain("Unknown option '--loud'");

  const help = await run({}, 'utilities', '--help');
  expect(help).toMatchObject({ code: 0, errors: '' });
  expect(help.output).toContain('npm start -- --cli');
});

it('prints the failure of a run and exits with 1', async () => {
  const { code, errors } = await run(
    {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_EXECUTABLE: '/nowhere/claude',
    },
    'calculator',
    '--live',
    '--cli',
  );
  expect(code).toBe(1);
  expect(errors).toContain('No Claude Code CLI was found');
});

it('has colours on a terminal only', () => {
  vi.stubEnv('NO_COLOR', undefined);
  const lines: string[] = [];
  const write = (line: string) => lines.push(line) > 0;
  const show = (isTTY: boolean) => {
    const { print, paint } = terminal({ write, isTTY });
    print('label', paint('green', 'words'));
    return lines.pop();
  };
  expect(show(false)).not.toContain('\u001b[');
  expect(show(true)).toContain('\u001b[32mwords');
  vi.stubEnv('NO_COLOR', '1');
  expect(show(true)).not.toContain('\u001b[');
  vi.unstubAllEnvs();
});

describe('every example', () => {
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(join(root, 'examples', folder, 'package.json'), 'utf8'));
  const workspaces: string[] = manifest('.').workspaces;
  const mainOf = (name: string) => readFileSync(join(root, 'examples', name, 'main.mjs'), 'utf8');
  // The others have a different kind of program.
  const names = workspaces.filter((name) => mainOf(name).includes("from '../shared/main.mjs'"));

  it('is listed, described and started in the same way', () => {
    const index = readFileSync(join(root, 'examples/README.md'), 'utf8');
    expect(names).toHaveLength(8);
    for (const name of names) {
      expect(manifest(name)).toMatchObject({
        name: `tenon-example-${name}`,
        private: true,
        scripts: { prestart: 'node ../../scripts/setup.mjs --build --examples', start: 'node main.mjs' },
      });
      const versions = Object.values({ ...manifest(name).dependencies, ...manifest(name).devDependencies });
      for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(index).toContain(`[${name}](${name}/README.md)`);
    }
  });

  it.each(names)('%s runs offline as a program', async (name) => {
    await using box = sandbox();
    const flags = name === 'ticket-board' ? ['--approve', '--file', join(box.cwd, 'board.db')] : [];
    const { code, output, errors } = await run(box.env(), name, ...flags);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^ +\d+\.\d\d s {2}agent {4}the embedded runtime, a scripted model\n/);
    expect(output).toMatch(/ s {2}call {5}/);
    expect(output).toMatch(/ s {2}(answer|outcome) /);
    expect(output).toContain(', success\n');
    expect(output).not.toContain('undefined');
  });
});

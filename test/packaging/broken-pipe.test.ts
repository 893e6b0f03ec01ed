/** `… | head -n 1`: a reader that has enough ends a program quietly, and never in the middle of a build (R70). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/real-cli.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = readdirSync(join(root, 'examples')).filter(
  (name) => existsSync(join(root, 'examples', name, 'main.mjs')) && name !== 'shared',
);

/** A server goes on, whoever reads what it has said first. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = { 'chat-server': ['--help'] };

/** Runs it with an output that nobody reads: not even the first line arrives. */
async function unread(args: readonly string[], input: 'ignore' | 'pipe' = 'ignore') {
  await using box = sandbox();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: box.env(undefined, { CLAUDE_CODE_EXECUTABLE: '/no/such/cli' }),
    stdio: [input, 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  child.stdin?.end();
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const [code] = await once(child, 'close');
  return { code, errors };
}

describe('with nobody to read it', () => {
  it.each(examples)('the example %s says nothing of it', async (name) => {
    expect(await unread([`examples/${name}/main.mjs`, ...(ARGUMENTS[name] ?? [])])).toEqual({
      code: 0,
      errors: '',
    });
  });

  it.each([
    ['npm run example', ['scripts/example.mjs']],
    ['npm run example of one', ['scripts/example.mjs', 'utilities']],
    ['tenon --help', ['dist/commands/bin.js', '--help']],
    ['tenon mcp list', ['dist/commands/bin.js', 'mcp', 'list']],
    ['tenon-runtime --help', ['dist/runtime/bin.js', '--help']],
  ])('%s ends', async (_, args) => {
    expect(await unread(args)).toEqual({ code: 0, errors: '' });
  });

  it('tenon doctor ends', async () => {
    const { code, errors } = await unread(['dist/commands/bin.js', 'doctor', '--runtime', 'embedded']);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('the set-up finishes its work before it ends', async () => {
    const program = `
      import { withProgress } from './scripts/lib/progress.mjs';
      await withProgress('Work', false, async () => {});
      await new Promise((resolve) => setImmediate(resolve));
      await withProgress('More work', false, async () => {});
      process.stderr.write('finished');`;
    const done = await unread(['--input-type=module', '--eval', program]);
    expect(done).toEqual({ code: 0, errors: 'finished' });
  });
});

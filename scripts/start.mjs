// `npm start`: finds a Claude Code CLI, or fetches the pinned one of the tests, and runs the calculator with it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findClaudeCode } from '../dist/index.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reference = join(root, 'test', 'reference');
const pinned = () => findClaudeCode({ cwd: reference, env: {} }).path;

function run(script, args, env = {}) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv.includes('--help')) {
  console.log(
    'npm start: runs the calculator agent on a real Claude Code CLI with a scripted model, offline.',
  );
  process.exit(0);
}

let path =
  findClaudeCode({ cwd: root }).path ?? (existsSync(join(reference, 'node_modules')) ? pinned() : undefined);
if (path === undefined) {
  console.log('No Claude Code CLI on this machine: fetching the one that the tests use.');
  run('scripts/setup.mjs', ['--reference']);
  path = pinned();
}
run('examples/calculator/main.mjs', process.argv.slice(2), { CLAUDE_CODE_EXECUTABLE: path });

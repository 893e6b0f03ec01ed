// @ts-check
/** `node scripts/test.mjs [--quick]`: the checks, then the tests; stops at checks that fail. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { commandOf } from './lib/run.mjs';

const root = resolve(join(import.meta.dirname, '..'));
const run = (/** @type {string[]} */ ...args) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const flags = [
  ...(process.argv.includes('--quick') ? ['--config', 'vitest.quick.config.ts'] : []),
  // Vitest colours its output wherever `CI` is set, also in a file. A variable would reach the programs under test.
  ...(process.stdout.isTTY ? [] : ['--no-color']),
];
process.exitCode =
  run(join(root, 'scripts', 'check.mjs')) || run(commandOf('vitest', 'vitest'), 'run', ...flags);

// @ts-check
/**
 * Everything that can be said about the code without running it: `node scripts/check.mjs [--only name …]`.
 * One line for each check; the output of those that failed.
 */
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { commandOf, run } from './lib/run.mjs';

/** @type {Record<string, readonly [packageName: string, command: string, ...args: string[]]>} */
const checks = {
  types: ['typescript', 'tsc', '--noEmit', '-p', 'tsconfig.json'],
  page: ['typescript', 'tsc', '--noEmit', '-p', 'src/inspector/page/tsconfig.json'],
  examples: ['typescript', 'tsc', '--noEmit', '-p', 'examples/tsconfig.json'],
  // Suggestions would bury what is wrong.
  lint: ['@biomejs/biome', 'biome', 'ci', '.', '--colors=off', '--diagnostic-level=warn'],
  publint: ['publint', 'publint', '--strict'],
  attw: ['@arethetypeswrong/cli', 'attw', '--pack', '.', '--profile', 'esm-only'],
  knip: ['knip', 'knip'],
};

const root = resolve(join(import.meta.dirname, '..'));
const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (/** @type {number} */ colour, /** @type {string} */ text) =>
  coloured ? `\u001b[${colour}m${text}\u001b[39m` : text;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const names = values.only ?? Object.keys(checks);
const failures = [];
for (const name of names) {
  const check = checks[name];
  if (check === undefined) {
    console.error(`There is no check "${name}". There are: ${Object.keys(checks).join(', ')}.`);
    process.exit(1);
  }
  const [packageName, command, ...args] = check;
  const start = performance.now();
  const { ok, output } = await run(process.execPath, [commandOf(packageName, command), ...args], {
    cwd: root,
  });
  const seconds = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  console.log(`${ok ? paint(32, '✓') : paint(31, '✗')} ${name} ${paint(90, seconds)}`);
  if (!ok) failures.push({ name, output });
}
for (const { name, output } of failures) console.log(`\n${paint(31, `── ${name}`)}\n${output.trim()}`);
if (failures.length > 0) process.exitCode = 1;

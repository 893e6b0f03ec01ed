/** `npm run test:runtimes`: the package under other versions of Node, under Bun and Deno. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { ITS_PACKAGES, installBuilt } from '../support/built-package.js';
import { PATIENCE_MS } from '../support/patience.js';
import { cliPath, sandbox } from '../support/real-cli.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const installed = (name: string, program: string): string => join(here, 'node_modules', name, 'bin', program);

/** `flags` stand before the program that is run. */
const RUNTIMES: [name: string, program: string, flags: string[]][] = [
  [`Node ${process.versions.node}`, process.execPath, []],
  ['Node 22', installed('node-22', 'node'), []],
  ['Node 24', installed('node-24', 'node'), []],
  ['Bun', installed('bun', 'bun'), []],
  [
    'Deno',
    join(here, 'node_modules', 'deno', 'deno'),
    ['run', '--allow-all', '--no-config', '--node-modules-dir=manual'],
  ],
];

const EXPECTED = [
  'asked mcp__calc__add',
  'hook mcp__calc__add',
  expect.stringContaining('42'),
  'success It is 42.',
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-runtimes-'));
  await installBuilt(folder, ['zod', ...ITS_PACKAGES]);
  await cp(join(here, 'host.mjs'), join(folder, 'host.mjs'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the program and returns what it says happened. */
async function outcomeOf(command: string, args: readonly string[]): Promise<Record<string, unknown>> {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    toolUse('mcp__calc__add', { a: 15, b: 27 }),
    text('It is 42.'),
  ]);
  const env = box.env(api);
  const { stdout } = await promisify(execFile)(command, [...args, cliPath, JSON.stringify(env)], {
    cwd: folder,
    timeout: PATIENCE_MS,
    env: { PATH: process.env.PATH ?? '', HOME: box.home, TMPDIR: env.TMPDIR ?? '' },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe.each(RUNTIMES)('under %s', (name, program, flags) => {
  it('a tool of the process is called, with permission and hook, by the CLI and by the embedded runtime', async () => {
    const { onCli, inProcess, found } = await outcomeOf(program, [...flags, join(folder, 'host.mjs')]);
    expect(onCli).toEqual({ seen: EXPECTED, exit: { code: 0, signal: null } });
    expect(inProcess).toEqual(EXPECTED);
    expect(found).toBe(true);
  });

  // Programs in Deno are ES modules.
  it.skipIf(name === 'Deno')('require() gives the same names as import', async () => {
    const script =
      "const given = require('tenon'); import('tenon').then((names) => console.log(JSON.stringify(" +
      'Object.keys(names).filter((name) => given[name] !== names[name]))))';
    const { stdout } = await promisify(execFile)(program, ['-e', script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

it('a single file made by `bun build --compile` finds the CLI that it is told of', async () => {
  const bun = installed('bun', 'bun');
  const single = join(folder, 'single');
  const args = ['build', '--compile', join(folder, 'host.mjs'), '--outfile', single];
  await promisify(execFile)(bun, args, { cwd: folder });
  const { onCli, inProcess } = await outcomeOf(single, []);
  expect(onCli).toEqual({ seen: EXPECTED, exit: { code: 0, signal: null } });
  expect(inProcess).toEqual(EXPECTED);
});

import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { backends, play } from '../shared/testing.js';
import { example } from './example.mjs';
import { inFolder, inMemory } from './repository.mjs';
import { testsOf } from './tools.mjs';

describe.each(backends)('the coding agent on %s', (backend) => {
  it('finds the cause, edits one line, and the tests pass (R49, R51)', async () => {
    const { calls, answer, messages } = await play(example, backend);
    expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
      ['run_tests', true],
      ['Grep', false],
      ['Read', false],
      ['Edit', false],
      ['run_tests', false],
    ]);
    expect(calls[0]?.text).toContain('several words');
    expect(calls[4]?.text).toMatch(/All tests pass/);
    expect(answer).toContain('all tests pass');
    const patches = messages.flatMap((message) =>
      message.type === 'user' && (message.tool_use_result as { structuredPatch?: object[] })?.structuredPatch
        ? [(message.tool_use_result as { structuredPatch: { lines: string[] }[] }).structuredPatch]
        : [],
    );
    expect(patches.flat().flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)))).toEqual([
      "-    .replace(/[^a-z0-9]+/, '-')",
      "+    .replace(/[^a-z0-9]+/g, '-')",
    ]);
  });

  it('is not believed: if it changes nothing, the run fails', async () => {
    const lazy = { ...example, script: () => 'All tests pass now.' };
    await expect(play(lazy, backend)).rejects.toThrow('some tests fail');
  });
});

it.each([
  ['a tree in memory', inMemory],
  ['a folder', () => inFolder({ isolated: false })],
])('the tests of %s fail before they are mended', async (_, open) => {
  const { workspace, close } = await open();
  expect(await testsOf(workspace)).toMatchObject({ passed: false, output: expect.stringContaining('fish') });
  await close();
});

it.each([
  ['in memory', []],
  ['in a folder', ['--local']],
])('as a program %s it mends the test and leaves nothing behind', async (_, flags) => {
  const place = await mkdtemp(`${tmpdir()}/tenon-place-`);
  const { stdout } = await promisify(execFile)(process.execPath, ['main.mjs', ...flags], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: place },
  });
  expect(stdout).toContain('the tests pass');
  expect(stdout).toContain("+    .replace(/[^a-z0-9]+/g, '-')");
  expect(await readdir(place)).toEqual([]);
});

it('runs in a sandbox, or says that this machine has none and runs nothing (R48)', async () => {
  const place = await mkdtemp(`${tmpdir()}/tenon-place-`);
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['main.mjs', '--sandboxed'],
    // A place of its own for temporary files, so that what is left over can be told.
    { cwd: import.meta.dirname, env: { ...process.env, TMPDIR: place } },
  ).catch((error) => error);
  if (stderr === '') expect(stdout).toContain('the tests pass');
  else {
    expect(stderr).toContain('cannot be isolated');
    expect(stdout).not.toContain('run_tests');
  }
  expect(await readdir(place)).toEqual([]);
});

/** What keeps a CLI from starting: each cause has its code, and the message names the option, the value and the remedy (pain 5). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { findClaudeCode, type Options, type ProcessError, query, TenonError } from '../../src/index.js';
import { failOnTrouble, fakeCli, outcome, processError, user } from '../support/fake-cli.js';

failOnTrouble();

const root = mkdtempSync(join(tmpdir(), 'errors-start-'));
afterAll(() => rm(root, { recursive: true, force: true }));

function file(name: string, content: string, mode: number): string {
  const path = join(root, name);
  writeFileSync(path, content, { mode });
  return path;
}

const wellBehaved = fakeCli('well-behaved');
const plain = file('plain', '#!/bin/sh\n', 0o644);
const nowhere = file('nowhere', '#!/no/such/interpreter\n', 0o755);
/** With neither a PATH nor a home there is nothing to be found, unless the machine has it in a system directory. */
const barren = { PATH: '/nonexistent', HOME: root };

interface Row {
  cause: string;
  options: Options;
  code: string;
  says: string[];
}

const rows: Row[] = [
  {
    cause: 'a path that is not there',
    options: { pathToClaudeCodeExecutable: '/no/such/claude' },
    code: 'CLI_NOT_FOUND',
    says: ['pathToClaudeCodeExecutable', '/no/such/claude', 'no such file', 'leave the option out'],
  },
  {
    cause: 'a path to a directory',
    options: { pathToClaudeCodeExecutable: root },
    code: 'CLI_NOT_FOUND',
    says: ['pathToClaudeCodeExecutable', root, 'a directory'],
  },
  {
    cause: 'a file that is not executable',
    options: { pathToClaudeCodeExecutable: plain },
    code: 'NOT_EXECUTABLE',
    says: ['pathToClaudeCodeExecutable', plain, 'not executable'],
  },
  {
    cause: 'an interpreter that is not there',
    options: { pathToClaudeCodeExecutable: wellBehaved, executable: 'bun', env: { PATH: '' } },
    code: 'INTERPRETER_NOT_FOUND',
    says: ['"bun"', '`executable`'],
  },
  {
    cause: 'a script whose "#!" line points nowhere',
    options: { pathToClaudeCodeExecutable: nowhere },
    code: 'INTERPRETER_NOT_FOUND',
    says: [nowhere, '#!'],
  },
  {
    cause: 'a working directory that is not there',
    options: { pathToClaudeCodeExecutable: wellBehaved, cwd: '/no/such/directory' },
    code: 'CWD_NOT_FOUND',
    says: ['`cwd`', '/no/such/directory', 'Create it'],
  },
  {
    cause: 'a working directory that is a file',
    options: { pathToClaudeCodeExecutable: wellBehaved, cwd: plain },
    code: 'CWD_NOT_FOUND',
    says: ['`cwd`', plain],
  },
  {
    cause: 'a command line that is too long',
    options: { pathToClaudeCodeExecutable: wellBehaved, extraArgs: { long: 'x'.repeat(200_000) } },
    code: 'ARGUMENTS_TOO_LONG',
    says: ['`extraArgs`'],
  },
  {
    cause: 'an argument that no system takes',
    options: { pathToClaudeCodeExecutable: wellBehaved, extraArgs: { odd: 'a\0b' } },
    code: 'SPAWN_FAILED',
    says: ['could not be started', 'null bytes'],
  },
  {
    cause: "a spawn of the user's own that throws",
    options: {
      pathToClaudeCodeExecutable: wellBehaved,
      spawnClaudeCodeProcess: () => {
        throw new Error('no container left');
      },
    },
    code: 'SPAWN_FAILED',
    says: ['no container left'],
  },
];

async function failure(
  options: Options,
  prompt: Parameters<typeof query>[0]['prompt'],
): Promise<ProcessError> {
  const running = query({ prompt, options });
  const asked = [running.initializationResult(), running.supportedCommands(), running.mcpServerStatus()];
  const answers = await Promise.allSettled(asked);
  const { messages, error, done, exit } = await outcome(running);
  expect(messages).toEqual([]);
  expect(exit).toEqual({ code: null, signal: null });
  expect(done).toEqual({ status: 'rejected', reason: error });
  // Whoever asks by another way hears the same reason.
  for (const answer of answers) expect(answer).toEqual({ status: 'rejected', reason: error });
  return processError(error);
}

describe.concurrent.each(rows)('$cause', ({ options, code, says }) => {
  it(`is ${code}, and the message says what to do`, async () => {
    const error = await failure(options, 'hi');
    expect(TenonError.is(error)).toBe(true);
    expect(error.code).toBe(code);
    for (const words of says) expect(error.message).toContain(words);
    expect(error.argv.join(' ').length).toBeLessThan(1_000);
  });

  it(`is ${code} for a stream too, whose clean-up runs`, async () => {
    let cleaned = false;
    async function* input() {
      try {
        for (;;) yield user('more');
      } finally {
        cleaned = true;
      }
    }
    expect(await failure(options, input())).toMatchObject({ code });
    expect(cleaned).toBe(true);
  });
});

describe.each(rows)('$cause', ({ options }) => {
  it('keeps nobody waiting who closes the query before the reason is known', async () => {
    // The clock stands still: an escalation, for a process that does not leave, would never come to its end.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const running = query({ prompt: 'hi', options });
    await running.close();
    vi.useRealTimers();
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    await expect(running.exited).resolves.toEqual({ code: null, signal: null });
  });
});

const found = findClaudeCode({ cwd: root, env: barren }).path;

it.skipIf(found !== undefined)(
  'no CLI anywhere is CLI_NOT_FOUND, with every place that was tried (R12)',
  async () => {
    const error = await failure({ cwd: root, env: barren }, 'hi');
    expect(error.code).toBe('CLI_NOT_FOUND');
    const tried = [
      '/nonexistent/claude (PATH)',
      join(root, '.local', 'bin', 'claude'),
      '/usr/local/bin/claude',
    ];
    const remedies = ['npm install', 'pathToClaudeCodeExecutable', 'CLAUDE_CODE_EXECUTABLE'];
    for (const words of [...tried, ...remedies]) expect(error.message).toContain(words);
  },
);

it('a directory for temporary files that is not there is NO_TEMPORARY_DIRECTORY, and the message says what to do', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(root, 'nowhere-to-write');
  try {
    const options = { pathToClaudeCodeExecutable: wellBehaved, hermetic: true };
    const error = await failure(options, 'hi');
    expect(error.code).toBe('NO_TEMPORARY_DIRECTORY');
    for (const words of [join(root, 'nowhere-to-write'), 'TMPDIR', 'Create'])
      expect(error.message).toContain(words);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

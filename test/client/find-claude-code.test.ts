/** Where the CLI is looked for, in which order, and what is said when it is not there (R12, pain 10). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireClaudeCode } from '../../src/client/launch/find-claude-code.js';
import { EXECUTABLE_VARIABLE, findClaudeCode, type Options, ProcessError, query } from '../../src/index.js';
import { captureLaunch } from '../support/captured-launch.js';
import { collect, sandbox } from '../support/real-cli.js';

let root: string;
let cwd: string;
let home: string;
let bin: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-find-')));
  [cwd, home, bin] = ['project', 'home', 'bin'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [cwd, home, bin]) mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true }));

function place(path: string, mode = 0o755, content = '#!/bin/sh\n'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function installPackage(name: string, file: string): string {
  const directory = join(cwd, 'node_modules', '@anthropic-ai', name);
  place(
    join(directory, 'package.json'),
    0o644,
    JSON.stringify({ name: `@anthropic-ai/${name}`, version: '2.0.0' }),
  );
  return place(join(directory, file));
}

/** A machine may have one where every user finds it; then the search ends there. */
const installedForAll = ['/usr/local/bin/claude', '/opt/homebrew/bin/claude', '/usr/bin/claude'].find(
  (path) => existsSync(path),
);

const platform = `${process.platform}-${process.arch}`;
const find = (env: NodeJS.ProcessEnv = {}, path?: string) =>
  findClaudeCode({ cwd, path, env: { HOME: home, PATH: bin, ...env } });

describe('the order', () => {
  it('is: the variable, the platform packages, the package, PATH, the usual places', () => {
    const candidates: [source: string, path: string][] = [
      [EXECUTABLE_VARIABLE, place(join(root, 'named', 'claude'))],
      [
        `package @anthropic-ai/claude-agent-sdk-${platform}`,
        installPackage(`claude-agent-sdk-${platform}`, 'claude'),
      ],
      [`package @anthropic-ai/claude-code-${platform}`, installPackage(`claude-code-${platform}`, 'claude')],
      ['package @anthropic-ai/claude-code', installPackage('claude-code', 'cli.js')],
      ['PATH', place(join(bin, 'claude'))],
      ['usual install place', place(join(home, '.claude', 'local', 'claude'))],
      ['usual install place', place(join(home, '.local', 'bin', 'claude'))],
    ];
    const env = { [EXECUTABLE_VARIABLE]: join(root, 'named', 'claude') };
    for (const [source, path] of candidates) {
      expect(find(env)).toMatchObject({ source, path });
      rmSync(source.startsWith('package') ? dirname(path) : path, { recursive: true });
    }
    // A folder of its own: Node remembers where it has found a package.
    const empty = join(root, 'empty');
    const none = findClaudeCode({ cwd: empty, env: { HOME: home, PATH: bin, ...env } });
    expect(none.path).toBe(installedForAll);
    expect([...new Set(none.tried.map(({ source }) => source))]).toEqual([
      EXECUTABLE_VARIABLE,
      'packages',
      'PATH',
      'usual install place',
    ]);
    expect(none.tried.find(({ path }) => path === empty)?.reason).toMatch(
      /none of .*@anthropic-ai\/claude-code resolves from here/,
    );
  });

  it('has the given path first, and then nothing else', () => {
    place(join(bin, 'claude'));
    const given = place(join(root, 'mine'));
    expect(find({}, given)).toEqual({ path: given, source: 'pathToClaudeCodeExecutable', tried: [] });
    expect(find({}, join(root, 'not-there'))).toEqual({
      path: undefined,
      source: undefined,
      tried: [
        { source: 'pathToClaudeCodeExecutable', path: join(root, 'not-there'), reason: 'no such file' },
      ],
    });
  });

  it('takes relative paths from the working directory', () => {
    const given = place(join(cwd, 'tools', 'claude'));
    expect(find({}, 'tools/claude').path).toBe(given);
    expect(find({ [EXECUTABLE_VARIABLE]: './tools/claude' }).path).toBe(given);
  });

  it('goes on behind what cannot be used, and tells of it', () => {
    mkdirSync(join(bin, 'claude'));
    const other = join(root, 'other');
    place(join(other, 'claude'), 0o644);
    const good = place(join(root, 'good', 'claude'));
    const found = find({ PATH: [bin, '', other, dirname(good)].join(':') });
    expect(found).toMatchObject({ path: good, source: 'PATH' });
    expect(found.tried.filter(({ source }) => source === 'PATH')).toEqual([
      { source: 'PATH', path: join(bin, 'claude'), reason: 'a directory' },
      { source: 'PATH', path: join(other, 'claude'), reason: 'not executable' },
    ]);
  });

  it('is followed through a symbolic link', () => {
    const target = place(join(root, 'elsewhere', 'claude-2.1'));
    symlinkSync(target, join(bin, 'claude'));
    expect(find().path).toBe(join(bin, 'claude'));
  });
});

it('in a package of a command that was installed for everybody is found through the link to the command', () => {
  const command = place(join(cwd, 'lib', 'agent.js'), 0o755, '');
  const installed = installPackage(`claude-agent-sdk-${platform}`, 'claude');
  symlinkSync(command, join(bin, 'agent'));
  const [node = '', own = ''] = process.argv;
  process.argv.splice(0, 2, node, join(bin, 'agent'));
  try {
    expect(findClaudeCode({ cwd: home, env: { HOME: home, PATH: '' } }).path).toBe(installed);
  } finally {
    process.argv.splice(0, 2, node, own);
  }
});

describe('a path', () => {
  it('inside an Electron archive is rewritten to the file beside it', () => {
    const real = place(join(root, 'app.asar.unpacked', 'node_modules', 'x', 'claude'));
    expect(find({}, join(root, 'app.asar', 'node_modules', 'x', 'claude')).path).toBe(real);
    expect(find({}, real).path).toBe(real);
  });

  it.each(['claude.cmd', 'claude.BAT'])('to %s is refused: it cannot be started without a shell', (name) => {
    expect(find({}, place(join(root, name))).tried[0]?.reason).toContain('cannot be started safely');
    expect(() => requireClaudeCode({ path: join(root, name) })).toThrow(/name the \.exe or \.js/);
  });

  it('to a script need not be executable', () => {
    for (const name of ['cli.js', 'cli.mjs', 'cli.cjs', 'cli.ts']) {
      expect(find({}, place(join(root, name), 0o644)).path).toBe(join(root, name));
    }
  });
});

describe('the error', () => {
  const thrown = (options: Parameters<typeof requireClaudeCode>[0]): ProcessError => {
    try {
      requireClaudeCode(options);
    } catch (error) {
      if (error instanceof ProcessError) return error;
    }
    throw new Error('no ProcessError was thrown');
  };

  it.skipIf(installedForAll)('lists each place once, and names the other ways out (R12)', () => {
    // Twice on PATH, and a usual place besides; the packages are looked for from the program and from `cwd`.
    const usual = join(home, '.local', 'bin');
    const PATH = [bin, usual, bin, `${bin}/`, usual].join(':');
    const own = process.argv[1] ?? '';
    const { message } = thrown({ cwd: dirname(own), env: { HOME: home, PATH } });
    const listed = [...message.matchAll(/^ {2}- (\S+)/gm)].map(([, path]) => path);
    expect(listed).toEqual([...new Set(listed)]);
    expect(listed).toContain(join(usual, 'claude'));
    expect(message).toContain('npx tenon doctor');
    expect(message).toContain('runtime: embedded({ model })');
  });

  it.skipIf(installedForAll)('names everything that was tried, and the ways out', () => {
    const error = thrown({ cwd, env: { HOME: home, PATH: bin, [EXECUTABLE_VARIABLE]: '/named/claude' } });
    expect(error.code).toBe('CLI_NOT_FOUND');
    for (const part of [
      'npm install @anthropic-ai/claude-code',
      'pathToClaudeCodeExecutable',
      EXECUTABLE_VARIABLE,
      '/named/claude (CLAUDE_CODE_EXECUTABLE): no such file',
      `${join(bin, 'claude')} (PATH): no such file`,
      `${join(home, '.local', 'bin', 'claude')} (usual install place): no such file`,
    ]) {
      expect(error.message).toContain(part);
    }
  });

  it('of a given path names it, the reason and the remedy', () => {
    const missing = thrown({ path: '/no/such/claude' });
    expect(missing.code).toBe('CLI_NOT_FOUND');
    expect(missing.message).toMatch(
      /`pathToClaudeCodeExecutable`: \/no\/such\/claude \(no such file\).*Correct/,
    );
    expect(thrown({ path: cwd }).message).toContain('(a directory)');
    expect(thrown({ path: place(join(root, 'plain'), 0o644) }).code).toBe('NOT_EXECUTABLE');
  });
});

describe('what runs a script', () => {
  const recorder = fileURLToPath(new URL('../fixtures/launch-recorder.mjs', import.meta.url));

  it.each<[string, Options, string]>([
    ['this Node, unless told otherwise', {}, process.execPath],
    ['the given executable', { executable: 'bun' }, 'bun'],
  ])('%s', async (_, options, command) => {
    const { spawn } = await captureLaunch({
      ...options,
      pathToClaudeCodeExecutable: '/elsewhere/cli.js',
      executableArgs: ['--no-warnings'],
    });
    expect(spawn.command).toBe(command);
    expect(spawn.args.slice(0, 3)).toEqual(['--no-warnings', '/elsewhere/cli.js', '--output-format']);
  });

  it('nothing runs a program that runs by itself: executableArgs are its first arguments', async () => {
    const { spawn } = await captureLaunch({
      pathToClaudeCodeExecutable: '/elsewhere/claude',
      executableArgs: ['--first'],
    });
    expect(spawn.command).toBe('/elsewhere/claude');
    expect(spawn.args.slice(0, 2)).toEqual(['--first', '--output-format']);
  });

  it('and really does so, with executableArgs before the script', async () => {
    await using box = sandbox();
    const options: Options = {
      pathToClaudeCodeExecutable: recorder,
      executable: 'node',
      executableArgs: ['--no-warnings'],
      cwd: box.cwd,
      env: box.env(),
    };
    const { messages, error } = await collect(query({ prompt: 'hi', options }));
    expect(error).toBeUndefined();
    expect(messages[0]).toMatchObject({
      execArgv: ['--no-warnings'],
      argv: ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
    });
  });
});

it('a CLI on PATH is found when options.env has no PATH of its own', async () => {
  await using box = sandbox();
  place(join(bin, 'claude'), 0o755, '#!/bin/sh\necho \'{"type":"report"}\'\n');
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  try {
    const options: Options = { cwd: box.cwd, env: { MINE: '1' } };
    const { messages } = await collect(query({ prompt: 'hi', options }));
    expect(messages).toEqual([{ type: 'report' }]);
  } finally {
    process.env.PATH = before;
  }
});

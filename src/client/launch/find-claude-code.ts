import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
// The default import, because bundled programs often declare `createRequire` themselves.
import nodeModule from 'node:module';
import { delimiter, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { EXECUTABLE_VARIABLE } from '../../options/environment.js';
import { ProcessError } from '../../protocol/base/errors.js';
import { homeDirectory } from '../../protocol/base/user-directories.js';

export interface FindClaudeCodeOptions {
  /** If given, nothing else is tried. */
  path?: string | undefined;
  /** Where packages are resolved from, in addition to the program itself. Default: the working directory. */
  cwd?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

export interface TriedPlace {
  source: string;
  path: string;
  /** Why it was rejected. */
  reason: string;
}

export interface FoundClaudeCode {
  /** Absent when nothing was found. */
  path: string | undefined;
  source: string | undefined;
  /** In the order in which they were tried. */
  tried: TriedPlace[];
}

const BINARY = process.platform === 'win32' ? 'claude.exe' : 'claude';
const SCRIPT_EXTENSIONS = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx']);

/**
 * Finds the Claude Code CLI and reports where it looked: the given path; `CLAUDE_CODE_EXECUTABLE`; the
 * platform packages of the official SDK and of Claude Code, as the program would resolve them; PATH; the
 * usual install locations.
 */
export function findClaudeCode(options: FindClaudeCodeOptions = {}): FoundClaudeCode {
  const env = options.env ?? process.env;
  const tried: TriedPlace[] = [];
  for (const { source, path, missing } of candidates(options, env)) {
    const usable = unpackedFromAsar(path);
    // PATH often names a folder twice, and some of the usual places.
    if (tried.some((place) => place.path === usable)) continue;
    const reason = missing ?? whyUnusable(usable);
    if (reason === undefined) return { path: usable, source, tried };
    tried.push({ source, path: usable, reason });
  }
  return { path: undefined, source: undefined, tried };
}

/** Returns the path, or throws an error that lists everything that was tried. */
export function requireClaudeCode(options: FindClaudeCodeOptions = {}): string {
  const found = findClaudeCode(options);
  if (found.path !== undefined) return found.path;
  const list = found.tried.map(({ source, path, reason }) => `  - ${path} (${source}): ${reason}`).join('\n');
  if (options.path !== undefined) {
    const first = found.tried[0];
    const code = first?.reason === NOT_EXECUTABLE ? 'NOT_EXECUTABLE' : 'CLI_NOT_FOUND';
    throw new ProcessError(
      code,
      `Claude Code executable not found at \`pathToClaudeCodeExecutable\`: ${options.path} (${first?.reason}). ` +
        'Correct the path, or leave the option out to search for an installed one.',
    );
  }
  throw new ProcessError(
    'CLI_NOT_FOUND',
    'No Claude Code CLI was found. Install it (npm install @anthropic-ai/claude-code), or give its path in ' +
      `\`pathToClaudeCodeExecutable\` or ${EXECUTABLE_VARIABLE}, or run without it: \`runtime: embedded({ model })\` ` +
      `(tenon/runtime). \`npx tenon doctor\` checks this machine. Tried:\n${list}`,
  );
}

export function isScript(path: string): boolean {
  return SCRIPT_EXTENSIONS.has(extname(path));
}

interface Candidate {
  source: string;
  path: string;
  /** The reason, when there is no file to check. */
  missing?: string;
}

function* candidates(options: FindClaudeCodeOptions, env: NodeJS.ProcessEnv): Generator<Candidate> {
  if (options.path !== undefined) {
    yield { source: 'pathToClaudeCodeExecutable', path: resolve(options.cwd ?? '.', options.path) };
    return;
  }
  const named = env[EXECUTABLE_VARIABLE];
  if (named) yield { source: EXECUTABLE_VARIABLE, path: resolve(options.cwd ?? '.', named) };
  yield* packaged(options.cwd ?? process.cwd());
  for (const directory of (env.PATH ?? env.Path ?? '').split(delimiter)) {
    if (directory !== '') yield { source: 'PATH', path: join(directory, BINARY) };
  }
  for (const path of usualPlaces(env)) yield { source: 'usual install place', path };
}

/**
 * Resolved from the program's own file and the working directory, never relative to Tenon, which may be
 * bundled.
 */
function* packaged(cwd: string): Generator<Candidate> {
  for (const base of new Set([...programFolders(), cwd])) {
    const installed = [...packagesSeenFrom(base)];
    if (installed.length > 0) yield* installed;
    else
      yield {
        source: 'packages',
        path: base,
        missing: `none of ${packageNames().join(', ')} resolves from here`,
      };
  }
}

/** The folder of the program as started, and of its real file: a command that npm installed is a link. */
function programFolders(): string[] {
  const main = process.argv[1];
  if (main === undefined || !isAbsolute(main)) return [];
  try {
    return [dirname(main), dirname(realpathSync(main))];
  } catch {
    // A file inside an archive or a single-file executable.
    return [dirname(main)];
  }
}

function* packagesSeenFrom(base: string): Generator<Candidate> {
  const require = nodeModule.createRequire(join(base, 'tenon-resolves-from-here.js'));
  for (const name of packageNames()) {
    let directory: string;
    try {
      directory = dirname(require.resolve(`${name}/package.json`));
    } catch {
      continue;
    }
    yield { source: `package ${name}`, path: join(directory, BINARY) };
    if (name === '@anthropic-ai/claude-code') {
      yield { source: `package ${name}`, path: join(directory, 'cli.js') };
    }
  }
}

function packageNames(): string[] {
  const platform = `${process.platform}-${process.arch}`;
  const variants = process.platform === 'linux' ? [platform, `${platform}-musl`] : [platform];
  // Only the musl build starts on a musl system, so there it goes first.
  if (process.platform === 'linux' && isMusl()) variants.reverse();
  return [
    ...variants.map((variant) => `@anthropic-ai/claude-agent-sdk-${variant}`),
    ...variants.map((variant) => `@anthropic-ai/claude-code-${variant}`),
    '@anthropic-ai/claude-code',
  ];
}

function isMusl(): boolean {
  return existsSync('/etc/alpine-release');
}

function usualPlaces(env: NodeJS.ProcessEnv): string[] {
  const home = homeDirectory(env);
  if (process.platform === 'win32') return [join(home, '.local', 'bin', BINARY)];
  return [
    join(home, '.claude', 'local', 'claude'),
    join(home, '.local', 'bin', 'claude'),
    join(home, '.npm-global', 'bin', 'claude'),
    join(home, '.bun', 'bin', 'claude'),
    join(home, '.volta', 'bin', 'claude'),
    join(home, '.yarn', 'bin', 'claude'),
    join(home, 'node_modules', '.bin', 'claude'),
    '/usr/local/bin/claude',
    '/opt/homebrew/bin/claude',
    '/usr/bin/claude',
  ];
}

/**
 * Electron packs an application into an archive from which nothing can be executed; the real files are next
 * to it.
 */
function unpackedFromAsar(path: string): string {
  return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
}

const NOT_EXECUTABLE = 'not executable';

function whyUnusable(path: string): string | undefined {
  // Windows cannot start these without a shell, and a shell could interpret the arguments as commands.
  if (/\.(cmd|bat)$/i.test(path)) return 'a .cmd or .bat file cannot be started safely; name the .exe or .js';
  try {
    if (statSync(path).isDirectory()) return 'a directory';
  } catch {
    return 'no such file';
  }
  if (isScript(path) || process.platform === 'win32') return undefined;
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return NOT_EXECUTABLE;
  }
}

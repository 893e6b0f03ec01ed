import type { ChildProcess } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { startInGroup } from '../../protocol/transport/process/process-group.js';
import { findProgram } from '../adapters/shell.js';
import type { FileMatches, SearchAnswer, SearchQuery } from '../workspace.js';
import { badPattern, NEEDS_MULTILINE } from './problems.js';
import { RipgrepOutput } from './ripgrep-output.js';
import { MAX_LINE_CHARS, VERSION_CONTROL } from './rules.js';

let found: Promise<string | undefined> | undefined;

/** The `rg` of the machine, or that of the package `@vscode/ripgrep` if the user has it. */
export function findRipgrep(): Promise<string | undefined> {
  found ??= (async () => {
    const installed = findProgram('rg', process.env);
    if (installed !== undefined) return installed;
    try {
      return (await import('@vscode/ripgrep')).rgPath;
    } catch {
      return undefined;
    }
  })();
  return found;
}

export interface SearchPlace {
  /** A directory, under a path that keeps leading to it. */
  readonly directory: string;
  /** The file in it that is searched; undefined: all of it. */
  readonly file: string | undefined;
}

/** Paths in the answer are relative to the directory. */
export async function runRipgrep(
  program: string,
  query: SearchQuery,
  { directory, file }: SearchPlace,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  signal.throwIfAborted();
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { child, group } = startInGroup({ ...process.env }, (options) =>
    spawn(program, [...argumentsOf(query), '--', file === undefined ? '.' : `./${file}`], {
      ...options,
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    }),
  );
  const end = (): void => void (group === undefined ? child.kill('SIGKILL') : group.signal('SIGKILL'));
  signal.addEventListener('abort', end, { once: true });
  const timer = clock.setTimeout(end, LIMITS.searchMs);
  try {
    const output = new RipgrepOutput(query.mode);
    const { code, problem, wasEnded } = await read(child, output, end);
    signal.throwIfAborted();
    // Without messages about single files, whatever it says is about what it was asked for.
    if (code === 2 && problem !== '') {
      throw badPattern(/is not allowed in a regex/.test(problem) ? NEEDS_MULTILINE : problem);
    }
    const files = output.files();
    if (query.mode === 'names' || query.mode === 'files') addTimes(files, directory);
    return { files, isCut: wasEnded };
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', end);
    group?.forget();
  }
}

function argumentsOf(query: SearchQuery): string[] {
  const { mode, pattern, globs = [], type, linesBefore = 0, linesAfter = 0 } = query;
  // The last glob that matches counts.
  const globFlags = globs.map((glob) => `--glob=${glob}`);
  const common = ['--no-config', '--no-messages', '--color=never', '--hidden', '--null'];
  if (mode === 'names') return [...common, '--files', '--no-ignore', ...globFlags];
  return [
    ...common,
    ...MODES[mode],
    ...globFlags,
    ...VERSION_CONTROL.map((name) => `--glob=!${name}`),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(query.ignoreCase ? ['--ignore-case'] : []),
    ...(query.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(query.onlyMatching && mode === 'lines' ? ['--only-matching'] : []),
    ...(mode === 'lines' && linesBefore > 0 ? [`--before-context=${linesBefore}`] : []),
    ...(mode === 'lines' && linesAfter > 0 ? [`--after-context=${linesAfter}`] : []),
    `--regexp=${pattern}`,
  ];
}

const MODES = {
  files: ['--files-with-matches'],
  counts: ['--count', '--with-filename'],
  lines: [
    '--with-filename',
    '--line-number',
    '--no-heading',
    '--no-context-separator',
    `--max-columns=${MAX_LINE_CHARS}`,
  ],
} as const;

async function read(
  child: ChildProcess,
  output: RipgrepOutput,
  end: () => void,
): Promise<{ code: number | null; problem: string; wasEnded: boolean }> {
  let problem = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    if (problem.length < LIMITS.stderrTailBytes) problem += text;
  });
  let length = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > LIMITS.maxSearchBytes) end();
    else output.push(chunk);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      reject(
        new TenonError('SEARCH_FAILED', `ripgrep could not be started: ${error.message}`, { cause: error }),
      );
    });
  });
  return { code, problem: problem.trim(), wasEnded: code === null };
}

/** At once, and not through the pool of threads, which takes ten times as long: ripgrep has just looked at them. */
function addTimes(files: { path: string; modifiedMs?: number }[], directory: string): FileMatches[] {
  for (const file of files) {
    const status = lstatSync(`${directory}/${file.path}`, { throwIfNoEntry: false });
    if (status !== undefined) file.modifiedMs = status.mtimeMs;
  }
  return files;
}

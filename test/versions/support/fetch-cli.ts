/** Published versions of the Claude Code CLI, each fetched from npm once and kept outside the repository. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Cli {
  readonly version: string;
  /** What to give as `pathToClaudeCodeExecutable`: a `cli.js`, or from 2.1.113 on a native program. */
  readonly path: string;
}

/**
 * Of each form and time one: JavaScript up to 2.1.112, native programs from 2.1.113 on. 2.1.290 is among those that
 * start in the mode `auto`, and the first here that says when it is idle.
 */
const DEFAULT_VERSIONS = [
  '1.0.128',
  '2.0.1',
  '2.0.76',
  '2.1.50',
  '2.1.100',
  '2.1.140',
  '2.1.240',
  '2.1.290',
  '2.1.325',
] as const;

/** `TENON_CLI_VERSIONS=2.0.76,2.1.50` chooses others. */
export function chosenVersions(env: NodeJS.ProcessEnv = process.env): string[] {
  const given = (env.TENON_CLI_VERSIONS ?? '').split(/[\s,]+/).filter((version) => version !== '');
  const bad = given.find((version) => !/^\d+\.\d+\.\d+$/.test(version));
  if (bad !== undefined) throw new Error(`TENON_CLI_VERSIONS: "${bad}" is no version such as 2.1.50.`);
  return given.length > 0 ? given : [...DEFAULT_VERSIONS];
}

export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TENON_CLI_CACHE) return env.TENON_CLI_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tenon', 'claude-code');
}

/** What a run that was stopped left behind. What is younger may belong to another run. */
export async function removeLeftovers(cache: string = cacheFolder()): Promise<void> {
  const oldest = Date.now() - 60 * 60 * 1000;
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    if (!/^\.\d+\.\d+\.\d+-/.test(name) || (await stat(path)).mtimeMs > oldest) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * The CLI of this version, fetched if need be. It is made under a name of its own and then renamed: whoever sees the
 * folder sees all of it, and of two who fetch at the same time one wins and the other uses that.
 */
export async function fetchCli(version: string, cache: string = cacheFolder()): Promise<Cli> {
  const folder = join(cache, version);
  const present = executableIn(folder);
  if (present !== undefined) return { version, path: present };
  const temporary = join(cache, `.${version}-${randomUUID()}`);
  const start = performance.now();
  console.log(`Claude Code ${version}: fetching it from npm into ${folder} (once, 50 to 350 MB) …`);
  try {
    await mkdir(temporary, { recursive: true });
    await install(`@anthropic-ai/claude-code@${version}`, temporary);
    if (executableIn(temporary) === undefined) {
      const platform = `${process.platform}-${process.arch}`;
      throw new Error(
        `Claude Code ${version} came without a program for ${platform}: npm must not omit optional packages.`,
      );
    }
    await takePlace(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  console.log(`Claude Code ${version}: there after ${((performance.now() - start) / 1000).toFixed(0)} s.`);
  return { version, path: executableIn(folder) as string };
}

async function takePlace(temporary: string, folder: string): Promise<void> {
  try {
    await rename(temporary, folder);
  } catch (error) {
    // Somebody else was quicker, with the same files.
    if (executableIn(folder) !== undefined) return;
    throw new Error(`${folder} is in the way and has no CLI in it. Remove it and try again.`, {
      cause: error,
    });
  }
}

function executableIn(folder: string): string | undefined {
  const scope = join(folder, 'node_modules', '@anthropic-ai');
  const platform = `${process.platform}-${process.arch}`;
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return [
    join(scope, 'claude-code', 'cli.js'),
    join(scope, `claude-code-${platform}`, program),
    join(scope, `claude-code-${platform}-musl`, program),
  ].find((path) => existsSync(path));
}

/** Without the package's scripts: they only copy the native program to where a shell finds it. */
function install(specifier: string, folder: string): Promise<void> {
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    specifier,
  ];
  // On Windows npm is a batch file, which only a shell can start.
  const shell = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    const child = spawn('npm', shell ? args.map((arg) => `"${arg}"`) : args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm could not fetch ${specifier} (exit code ${code}):\n${output.trim()}`));
    });
  });
}

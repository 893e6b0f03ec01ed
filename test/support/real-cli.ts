/** What tests need around the real Claude Code CLI: the binary, a private place to run it in, and eyes on its processes. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from './patience.js';

/** The CLI that the reference package brings for this platform. */
export const cliPath: string = findCli();

/** A private home, configuration and working directory for one CLI. Everything in it goes at disposal. */
export interface Sandbox extends AsyncDisposable {
  readonly home: string;
  readonly configDir: string;
  readonly cwd: string;
  /** A complete environment for a child, pointed at `api` if there is one; `extra` wins. */
  env(api?: { env(): Record<string, string> }, extra?: Record<string, string>): Record<string, string>;
}

/** Makes a sandbox: `await using box = sandbox()`. */
export function sandbox(): Sandbox {
  // The real path, because the CLI reports its directory without symbolic links.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-')));
  const folder = (name: string) => {
    const path = join(root, name);
    mkdirSync(path);
    return path;
  };
  const [home, configDir, cwd, temporary] = [folder('home'), folder('config'), folder('work'), folder('tmp')];
  return {
    home,
    configDir,
    cwd,
    env: (api, extra = {}) => ({
      PATH: process.env.PATH ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: configDir,
      TMPDIR: temporary,
      ...api?.env(),
      ...extra,
    }),
    // A CLI that is just leaving may still write its transcript; `rm` tries again on EBUSY and ENOTEMPTY.
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}

/** Reads to the end, and keeps both what came and what was thrown. */
export async function collect<Message>(
  source: AsyncIterable<Message>,
): Promise<{ messages: Message[]; error: unknown }> {
  const messages: Message[] = [];
  try {
    for await (const message of source) messages.push(message);
  } catch (error) {
    return { messages, error };
  }
  return { messages, error: undefined };
}

/** Whether the process still runs. A zombie does not: in a container nobody may ever collect it. */
export function alive(pid: number): boolean {
  if (existsSync('/proc/self/stat')) {
    const state = readProcess(pid)?.state;
    return state !== undefined && state !== 'Z' && state !== 'X';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The living children of a process, their children and so on. Linux only; a process whose parent died is not found. */
export function descendants(pid: number): number[] {
  const everyone = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const childrenOf = (parent: number): number[] =>
    everyone
      .filter((candidate) => candidate.parent === parent && candidate.state !== 'Z')
      .flatMap((child) => [child.pid, ...childrenOf(child.pid)]);
  return childrenOf(pid);
}

/** Asks again and again until the answer is yes. The error names `what` did not happen. */
export async function waitUntil(
  predicate: () => boolean | Promise<boolean>,
  { what }: { what: string },
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await predicate())) {
    if (Date.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms in vain for: ${what}`);
    await wait(20);
  }
}

function readProcess(pid: number): { pid: number; state: string; parent: number } | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // "pid (name) state parent …"; the name may itself contain blanks and parentheses.
  const [state = '', parent = '0'] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { pid, state, parent: Number(parent) };
}

function findCli(): string {
  const scope = fileURLToPath(new URL('../reference/node_modules/@anthropic-ai', import.meta.url));
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  const packages = [`${process.platform}-${process.arch}`, `${process.platform}-${process.arch}-musl`];
  const paths = packages.map((platform) => join(scope, `claude-agent-sdk-${platform}`, name));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`No Claude Code CLI at ${paths.join(' or ')}. Run: node scripts/setup.mjs --reference`);
  }
  return found;
}

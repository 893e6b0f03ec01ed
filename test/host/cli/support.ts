/** Hosts on the real CLI and on the embedded runtime: one scenario, both back ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import {
  createHost,
  type Host,
  type HostApproval,
  type HostOptions,
  type HostProblem,
} from '../../../src/host/index.js';
import type { Options } from '../../../src/index.js';
import type { Script } from '../../../src/testing/index.js';
import { lastRead } from '../../runtime/durable/deferring.js';
import { BACK_ENDS, type BackEnd, type Running } from '../../support/back-ends.js';
import { descendants } from '../../support/real-cli.js';
import { isDone, REF, type Shop, shop, until, words } from '../support/host.js';

export const CLI = BACK_ENDS.find(({ isCli }) => isCli) as BackEnd;

export interface Scene extends AsyncDisposable {
  readonly running: Running;
  readonly shop: Shop;
  readonly problems: HostProblem[];
  /** A host on the scene's storage, if it has one; as often as programs start. */
  host(more?: Partial<HostOptions>, agent?: Partial<Options>): Host;
  /** What the model read since its last answer. */
  read(): string[];
  /** All that it read for its last answer. */
  lastRequest(): string;
  /** The lines that `Bash` or a server has written. */
  ran(): string[];
}

export async function scene(backEnd: BackEnd, script: Script, own: Shop = shop()): Promise<Scene> {
  const running = await backEnd.start(script);
  const problems: HostProblem[] = [];
  return {
    running,
    shop: own,
    problems,
    host: (more = {}, agent = {}) =>
      createHost({
        options: running.options({ mcpServers: { shop: own.server }, settingSources: [], ...agent }),
        approvals: { holdMs: 50 },
        onProblem: (problem) => problems.push(problem),
        ...more,
      }),
    read: () => lastRead(running.player.requests),
    lastRequest: () => JSON.stringify(running.player.requests.at(-1)?.messages),
    ran: () => linesOf(join(running.box.cwd, 'ran.txt')),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** The conversation is put away: its question waits in the storage, and nothing else is left of it. */
export async function putAway(host: Host): Promise<HostApproval> {
  await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('waiting'));
  expect(await host.stats()).toMatchObject({ running: 0, open: 0, processes: 0 });
  expect(processes()).toEqual([]);
  const [approval, ...others] = await host.pendingApprovals(REF);
  expect(others).toEqual([]);
  return approval as HostApproval;
}

/** The processes of the CLI that there are, by their ids. Without those that clean up after them. */
export function processes(): number[] {
  const all = descendants(process.pid).filter((pid) => read(pid, 'cmdline').includes('--output-format'));
  // What a process starts has its name for a moment.
  return all.filter((pid) => !all.includes(Number(/\) \S+ (\d+)/.exec(read(pid, 'stat'))?.[1])));
}

function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}

/** What is told from an event on, to the end of a prompt, as words. */
export async function toTheEnd(host: Host, after = 0): Promise<string[]> {
  return words(await until(host, REF, isDone, after));
}

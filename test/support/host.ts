/** Runs test/fixtures/hosts/host.mjs: a whole program of its own that uses the build, and can be ended in any way. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Options } from '../../src/index.js';

const program = fileURLToPath(new URL('../fixtures/hosts/host.mjs', import.meta.url));

export type Plan = 'obey' | 'read' | 'break' | 'abort' | 'leave unread';

export interface HostEvent {
  event: string;
  pid?: number;
  code?: string;
  message?: { type: string; subtype?: string; [field: string]: unknown };
}

export interface Host {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly events: readonly HostEvent[];
  /** Resolves with the first event that fits; rejects when the host ends before. */
  seen(fits: (event: HostEvent) => boolean): Promise<HostEvent>;
  /** Resolves when the host is gone, with how it went and what it wrote to stderr. */
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

const hosts = new Set<ChildProcess>();

/** Call it at the top of a test file, after `failOnTrouble`: a test that fails half-way leaves no host behind. */
export function endHosts(): void {
  afterAll(() => {
    for (const host of hosts) host.kill('SIGKILL');
  });
}

export function startHost(options: Options, plan: Plan): Host {
  const child = spawn(process.execPath, [program, JSON.stringify(options), plan], { stdio: 'pipe' });
  hosts.add(child);
  const events: HostEvent[] = [];
  const watchers = new Set<() => void>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    events.push(JSON.parse(line));
    for (const watch of watchers) watch();
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    hosts.delete(child);
    for (const watch of watchers) watch();
    return { code: code as number | null, signal: signal as string | null, stderr };
  });
  const seen = (fits: (event: HostEvent) => boolean): Promise<HostEvent> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        const found = events.find(fits);
        if (found === undefined && child.exitCode === null && child.signalCode === null) return;
        watchers.delete(watch);
        if (found !== undefined) resolve(found);
        else reject(new Error(`The host ended too soon. ${JSON.stringify(events)} ${stderr}`));
      };
      watchers.add(watch);
      watch();
    });
  return { child, pid: child.pid ?? 0, events, seen, ended };
}

/** A host in a process of its own; see fixtures/hosts/many/program.mjs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Host, HostOptions } from '../../../../src/host/index.js';
import type { PostgresStorageOptions } from '../../../../src/host/storage/postgres/index.js';
import type { Options } from '../../../../src/index.js';

const file = fileURLToPath(new URL('../../../fixtures/hosts/many/program.mjs', import.meta.url));

export interface ProgramOptions {
  place: Pick<PostgresStorageOptions, 'connectionString' | 'directory' | 'schema'>;
  /** A file to which tools append what they have done. */
  effectsFile: string;
  name?: string;
  /** Tools say by which version they were run. */
  version?: string;
  /** Where conversations stop for ever, by their names. */
  moments?: Readonly<Record<string, string>>;
  /** Where a conversation stops the whole program (SIGSTOP). */
  stopsAt?: Readonly<Record<string, string>>;
  /** Says every moment that is reached. */
  traced?: boolean;
  /** Options of the CLI, instead of the embedded runtime and its model. */
  cli?: Options;
  /** How long the model thinks. */
  pauseMs?: number;
  /** How long turns may take when it is told to end. */
  drainMs?: number;
  host?: Omit<HostOptions, 'options' | 'storage' | 'onProblem' | 'name'>;
}

export type Said = { said: string } & Record<string, unknown>;

type Method = {
  [Name in keyof Host]: Host[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Host];

export interface Program extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it has said so far, without answers. */
  readonly said: readonly Said[];
  /** Calls its host. Rejects with what went wrong there, or when the process is gone. */
  call<Name extends Method>(method: Name, ...args: Parameters<Host[Name]>): ReturnType<Host[Name]>;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is JSON.
  run(command: string, ...args: unknown[]): Promise<any>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when it is gone, with its exit code or the signal that has ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const given = {
    name: 'program',
    version: 'v1',
    moments: {},
    stopsAt: {},
    pauseMs: 0,
    drainMs: 60_000,
    ...options,
  };
  const child = spawn(process.execPath, ['--expose-gc', file, JSON.stringify(given)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: Said[] = [];
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error, ...rest } = JSON.parse(line);
    if (id === undefined) return void said.push(rest);
    if (error === undefined) open.get(id)?.resolve(result);
    else open.get(id)?.reject(Object.assign(new Error(error.message), error));
    open.delete(id);
  });
  child.stdin.on('error', () => {});
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const { reject } of open.values()) reject(new Error('The program is gone.'));
    open.clear();
    return (code ?? signal) as number | NodeJS.Signals;
  });
  const run: Program['run'] = (command, ...args) => {
    last += 1;
    const id = last;
    const answer = new Promise((resolve, reject) => open.set(id, { resolve, reject }));
    // Who no longer waits when the program is killed need not hear of it.
    answer.catch(() => {});
    child.stdin.write(`${JSON.stringify({ id, command, args })}\n`);
    return answer;
  };
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const program: Program = {
    process: child,
    said,
    call: (method, ...args) => run('call', method, ...args) as never,
    run,
    kill,
    exited,
    [Symbol.asyncDispose]: () => kill(),
  };
  await heard(program, ({ said: what }) => what === 'started');
  return program;
}

/** The first thing that a program says that fits. */
export async function heard(program: Program, isIt: (said: Said) => boolean): Promise<Said> {
  let found: Said | undefined;
  await expect
    .poll(() => {
      found = program.said.find(isIt);
      if (found === undefined && program.process.exitCode !== null) throw new Error('The program is gone.');
      return found;
    })
    .toBeDefined();
  return found as Said;
}

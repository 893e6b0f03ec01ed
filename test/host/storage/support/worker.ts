import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PostgresStorageOptions } from '../../../../src/host/storage/postgres/index.js';

const program = fileURLToPath(new URL('worker.mjs', import.meta.url));

export interface Worker extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it has said so far, without answers. */
  readonly said: Record<string, unknown>[];
  /** Rejects with the message and code of what went wrong there, or when the process is gone. */
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is JSON.
  run(command: string, ...args: unknown[]): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is JSON.
  call(part: string, method: string, ...args: unknown[]): Promise<any>;
}

/** A process of its own with a storage; see worker.mjs. `aheadMs`: its clock is wrong. */
export function startWorker(
  place: Pick<PostgresStorageOptions, 'connectionString' | 'directory' | 'schema'>,
  name = 'worker',
  { aheadMs = 0 } = {},
): Worker {
  const child = spawn(process.execPath, [program, JSON.stringify({ place, name, aheadMs })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: Record<string, unknown>[] = [];
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
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of open.values()) reject(new Error('The worker is gone.'));
    open.clear();
  });
  const run: Worker['run'] = (command, ...args) => {
    last += 1;
    const id = last;
    const answer = new Promise((resolve, reject) => open.set(id, { resolve, reject }));
    // Who no longer waits when the worker is killed need not hear of it.
    answer.catch(() => {});
    child.stdin.write(`${JSON.stringify({ id, command, args })}\n`);
    return answer;
  };
  return {
    process: child,
    said,
    run,
    call: (part, method, ...args) => run('call', part, method, ...args),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

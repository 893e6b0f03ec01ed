/** The `tenon` command as a program of its own, without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const program: string = fileURLToPath(new URL('../../../dist/commands/bin.js', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
}

const children = new Set<ChildProcess>();

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts it; `finished` resolves at its end. */
export function start(
  args: readonly string[],
  { env = { PATH: process.env.PATH ?? '' }, cwd, input }: RunOptions = {},
): { child: ChildProcess; output(): string; finished: Promise<Finished> } {
  const child = spawn(process.execPath, [program, ...args], { env, ...(cwd === undefined ? {} : { cwd }) });
  children.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, output: () => stdout + stderr, finished };
}

/** Runs it to its end, with nothing on stdin. */
export function tenon(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return start(args, { input: '', ...options }).finished;
}

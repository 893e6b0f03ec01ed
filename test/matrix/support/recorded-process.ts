/** Starts the agent on behalf of a client and writes down every frame that passes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Options, SpawnedProcess, SpawnOptions } from '../../../src/index.js';
import type { JsonObject } from './scenario.js';

/** A process that never leaves must not hold up the suite. */
const EXIT_TIMEOUT_MS = 120_000;

export class RecordedProcess {
  readonly stdin: JsonObject[] = [];
  readonly stdout: JsonObject[] = [];
  argv: string[] = [];
  env: Record<string, string> = {};
  stderr = '';
  #child: ChildProcessWithoutNullStreams | undefined;
  #exit: Promise<unknown[]> | undefined;

  /** What records the frames of Tenon: it shows them itself, also where the agent is no process. */
  watched(): Pick<Options, 'spawnClaudeCodeProcess' | 'onFrame'> {
    return {
      spawnClaudeCodeProcess: (options) => this.#start(options),
      onFrame: (frame, { direction }) =>
        void (direction === 'sent' ? this.stdin : this.stdout).push(frame as unknown as JsonObject),
    };
  }

  /** What records those of any client: it listens at the pipes, and leaves the streams as they are. */
  tapped(): Pick<Options, 'spawnClaudeCodeProcess'> {
    return { spawnClaudeCodeProcess: (options) => this.#listen(this.#start(options)) };
  }

  #start(options: SpawnOptions): ChildProcessWithoutNullStreams {
    const { command, args, cwd, env } = options;
    this.argv = args;
    for (const [name, value] of Object.entries(env)) if (value !== undefined) this.env[name] = value;
    const child = spawn(command, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: 'pipe' });
    this.#child = child;
    this.#exit = once(child, 'exit').catch(() => [null, 'not started']);
    child.on('error', () => {});
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      this.stderr += text;
    });
    return child;
  }

  #listen(child: ChildProcessWithoutNullStreams): SpawnedProcess {
    const fromClient = new Lines(this.stdin);
    const write = child.stdin.write.bind(child.stdin) as (...args: unknown[]) => boolean;
    child.stdin.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      fromClient.push(chunk);
      return write(chunk, ...rest);
    }) as typeof child.stdin.write;
    const fromAgent = new Lines(this.stdout);
    const push = child.stdout.push.bind(child.stdout);
    child.stdout.push = (chunk: Uint8Array | null, ...rest: BufferEncoding[]) => {
      if (chunk !== null) fromAgent.push(chunk);
      return push(chunk, ...rest);
    };
    return child;
  }

  get hasExited(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** From outside: the child object of the client must not know of it. */
  kill(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined && !this.hasExited) process.kill(this.#child.pid, signal);
  }

  /** How the agent went away. One that stays is killed and reported. */
  async exited(): Promise<{ code: number | null; signal: string | null }> {
    if (this.#exit === undefined) return { code: null, signal: 'not started' };
    const overdue = setTimeout(() => this.kill('SIGKILL'), EXIT_TIMEOUT_MS);
    const [code, signal] = (await this.#exit) as [number | null, string | null];
    clearTimeout(overdue);
    return { code, signal };
  }
}

class Lines {
  readonly #into: JsonObject[];
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(into: JsonObject[]) {
    this.#into = into;
  }

  push(chunk: string | Uint8Array): void {
    this.#rest += typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#into.push(JSON.parse(line) as JsonObject);
  }
}

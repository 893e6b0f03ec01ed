/** How the client would start a CLI and what it says first, caught by a process that exists in memory only. */
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type Options, query, type SpawnedProcess, type SpawnOptions } from '../../src/index.js';

export interface CapturedLaunch {
  spawn: SpawnOptions;
  /** The fields of the `initialize` request. */
  initialize: Record<string, unknown>;
  /** The first user message. */
  user: unknown;
}

/** Runs one whole query with these options, over a `spawnClaudeCodeProcess` of our own. */
export async function captureLaunch(options: Options): Promise<CapturedLaunch> {
  const cli = new CapturingCli();
  let spawned: SpawnOptions | undefined;
  const spawnClaudeCodeProcess = (spawn: SpawnOptions): SpawnedProcess => {
    spawned = spawn;
    return cli as unknown as SpawnedProcess;
  };
  const path = { pathToClaudeCodeExecutable: '/somewhere/else/claude' };
  for await (const _ of query({ prompt: 'hi', options: { ...path, ...options, spawnClaudeCodeProcess } }));
  if (spawned === undefined) throw new Error('nothing was spawned');
  const { subtype: _subtype, ...initialize } = cli.initialize;
  return { spawn: spawned, initialize, user: cli.user };
}

/** The flags every launch begins with. */
export const BASE_ARGUMENTS = [
  '--output-format',
  'stream-json',
  '--verbose',
  '--input-format',
  'stream-json',
] as const;

/** Arguments without the base, each flag together with its values, in an order of their own. */
export function flagsOf(args: readonly string[]): string[][] {
  const flags: string[][] = [];
  for (const arg of args) {
    if (arg.startsWith('--')) flags.push([arg]);
    else flags.at(-1)?.push(arg);
  }
  return flags.sort((left, right) => left.join(' ').localeCompare(right.join(' ')));
}

/** Answers `initialize` and the first message, and leaves at the end of its input. */
class CapturingCli extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly killed = false;
  readonly exitCode = null;
  initialize: Record<string, unknown> = {};
  user: unknown;

  constructor() {
    super();
    const lines = createInterface({ input: this.stdin });
    lines.on('line', (line) => this.#receive(JSON.parse(line)));
    lines.once('close', () => {
      this.stdout.end();
      this.emit('exit', 0, null);
    });
  }

  kill(): boolean {
    return true;
  }

  #receive(frame: { type: string; request_id?: string; request?: Record<string, unknown> }): void {
    if (frame.type === 'control_request' && frame.request?.subtype === 'initialize') {
      this.initialize = frame.request;
      const response = { subtype: 'success', request_id: frame.request_id, response: {} };
      this.#send({ type: 'control_response', response });
    } else if (frame.type === 'user') {
      this.user ??= frame;
      this.#send({ type: 'system', subtype: 'init', session_id: 's' });
      this.#send({ type: 'result', subtype: 'success', is_error: false, result: '', session_id: 's' });
    }
  }

  #send(frame: object): void {
    this.stdout.write(`${JSON.stringify(frame)}\n`);
  }
}

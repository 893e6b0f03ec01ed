import type { Readable, Writable } from 'node:stream';
import { clock, type Timer } from '../../base/clock.js';
import { messageOf, TenonError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Frame } from '../../wire/frames.js';
import { isFrame } from '../../wire/frames.js';
import { tellDropped, tooLong } from '../guarded-receiver.js';
import { type LineReceiver, LineSplitter, LineWriter } from '../pipes.js';
import type { Transport, TransportEnd, TransportReceiver } from '../transport.js';
import { Escalation, type EscalationTarget } from './escalation.js';
import { type ProcessGroup, startInGroup } from './process-group.js';

/**
 * The minimum a process needs to carry frames. `ChildProcess` fits, and so does what a user's own spawn
 * returns.
 */
export interface FrameProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr?: Readable | null;
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): boolean;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

export interface ProcessTransportOptions {
  maxLineBytes?: number | undefined;
  /** Called as soon as a line is longer than that, in case it never ends. */
  onLongLine?: (() => void) | undefined;
  /** From the end of input to SIGTERM, unless `stop` is given another value. */
  closeGraceMs?: number | undefined;
}

export interface SpawnSpecification extends ProcessTransportOptions {
  command: string;
  args: readonly string[];
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** Loaded with the first process: a program whose agents are all in this process never pays for it. */
function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process');
}

/**
 * Starts a program in its own process group, so that it can be stopped together with everything it started.
 */
export function spawnTransport(specification: SpawnSpecification): ProcessTransport {
  const { command, args, cwd, env } = specification;
  const { child, group } = startInGroup(env, (options) =>
    childProcess().spawn(command, args, {
      ...options,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    }),
  );
  return new ProcessTransport(child, specification, group);
}

/** Frames as lines over a process's stdin and stdout. */
export class ProcessTransport implements Transport, LineReceiver, EscalationTarget {
  readonly #child: FrameProcess;
  readonly #group: ProcessGroup | undefined;
  /** The process could not be started; Node is about to emit the reason. */
  readonly #startFailed: boolean;
  readonly graceMs: number;
  readonly exceeded: (() => void) | undefined;
  readonly #splitter: LineSplitter;
  readonly #writer: LineWriter | undefined;
  readonly #escalation: Escalation;
  #receiver: TransportReceiver | undefined;
  #inputEnded = false;
  #exit: TransportEnd | undefined;
  #stopping = false;
  #wasSignalled = false;
  #ended = false;
  #outputEnded = false;
  #stderrEnded = false;
  #orphansEnded: Promise<void> | undefined;
  #drainTimer: Timer | undefined;
  /** Callbacks that wait for the end of the process; undefined once it has ended. */
  #endWaiters: (() => void)[] | undefined = [];

  constructor(child: FrameProcess, options: ProcessTransportOptions = {}, group?: ProcessGroup) {
    this.#child = child;
    this.#writer = child.stdin === null ? undefined : new LineWriter(child.stdin);
    this.#group = group;
    this.#startFailed = child instanceof childProcess().ChildProcess && child.pid === undefined;
    this.graceMs = options.closeGraceMs ?? LIMITS.closeGraceMs;
    this.exceeded = options.onLongLine;
    this.#splitter = new LineSplitter(this, options.maxLineBytes);
    this.#escalation = new Escalation(this);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    const { stdin, stdout, stderr } = this.#child;
    this.#child.once('error', (error) => this.#failed(error));
    this.#child.once('exit', (code, signal) => this.#exited(code, signal));
    // The agent may close its end or die in the middle of a write: the exit reports that, the pipe must not
    // throw.
    stdin?.on('error', () => {
      this.#inputEnded = true;
    });
    stdout?.on('error', () => this.#outputDone());
    stdout?.on('data', (chunk: Buffer) => this.#splitter.push(chunk));
    stdout?.on('end', () => this.#outputDone());
    stdout?.on('close', () => this.#outputDone());
    if (stdout == null) this.#outputEnded = true;
    // Always drained: an unread pipe blocks its writer at 64 KB. And to its end: the last lines say why it
    // died.
    stderr?.on('error', () => this.#stderrDone());
    stderr?.setEncoding('utf8');
    stderr?.on('data', (text: string) => receiver.stderr(text));
    stderr?.on('end', () => this.#stderrDone());
    stderr?.on('close', () => this.#stderrDone());
    if (stderr == null) this.#stderrEnded = true;
  }

  send(frame: Frame, line?: string): boolean {
    // Dropped: the end that follows gives the reason to anyone waiting for an answer.
    if (this.#startFailed && !this.#inputEnded) return true;
    if (this.#inputEnded || this.#ended || this.#writer === undefined || !this.#child.stdin?.writable) {
      throw new TenonError('INPUT_CLOSED', 'Cannot send: the input of this conversation has ended.');
    }
    return this.#writer.write(line ?? JSON.stringify(frame));
  }

  drained(): Promise<void> {
    const { stdin } = this.#child;
    this.#writer?.flush();
    if (stdin === null || !stdin.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        stdin.off('drain', done);
        stdin.off('close', done);
        resolve();
      };
      stdin.on('drain', done);
      stdin.on('close', done);
    });
  }

  endInput(): void {
    this.#inputEnded = true;
    this.#writer?.flush();
    if (this.#child.stdin?.writable) this.#child.stdin.end();
  }

  pause(): void {
    // Never while the process is exiting: its last output would be lost.
    if (this.#stopping || this.#exit !== undefined) return;
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  stop(graceMs?: number): Promise<void> {
    this.#stopping = true;
    this.#inputEnded = true;
    this.resume();
    if (this.#exit === undefined && !this.#ended) this.#escalation.begin(graceMs);
    return new Promise((resolve) => {
      if (this.#endWaiters === undefined) resolve();
      else this.#endWaiters.push(resolve);
    });
  }

  // LineReceiver: called by the splitter.

  line(text: string, byteLength: number): void {
    if (isBlank(text)) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#receiver?.noise(text);
      return;
    }
    if (isFrame(value)) this.#receiver?.frame(value, byteLength, text);
    else this.#receiver?.noise(text);
  }

  oversized(byteLength: number, head: string): void {
    if (this.#receiver !== undefined) tellDropped(this.#receiver, tooLong(byteLength, head));
  }

  // EscalationTarget: the measures against a process that does not exit.

  signal(signal: NodeJS.Signals): void {
    this.#wasSignalled = true;
    if (this.#group === undefined) this.#child.kill(signal);
    else this.#group.signal(signal);
  }

  giveUp(): void {
    this.#finish({ code: null, signal: 'SIGKILL' });
  }

  #outputDone(): void {
    if (this.#outputEnded) return;
    this.#outputEnded = true;
    this.#splitter.end();
    this.#finishWhenDrained();
  }

  #stderrDone(): void {
    this.#stderrEnded = true;
    this.#finishWhenDrained();
  }

  #finishWhenDrained(): void {
    if (this.#exit !== undefined && this.#outputEnded && this.#stderrEnded) this.#finish(this.#exit);
  }

  #exited(code: number | null, signal: string | null): void {
    this.#exit = { code, signal };
    this.#inputEnded = true;
    this.#escalation.cancel();
    this.#orphansEnded = this.#group?.endOrphans();
    // The last output is still in the pipes; only a grandchild can keep them open longer.
    this.resume();
    this.#finishWhenDrained();
    if (this.#ended) return;
    const exit = this.#exit;
    // If the host was busy all that time, what has arrived is still read before the pipes are abandoned.
    const giveUp = (): unknown => clock.setImmediate(() => this.#finish(exit));
    this.#drainTimer = clock.setTimeout(giveUp, LIMITS.drainAfterExitMs);
  }

  /**
   * After the last output. What the program has detached on purpose stays when it ends by itself, as it would
   * in a terminal. When it was stopped or has crashed, nobody wants that any more.
   */
  async #endRest({ code }: TransportEnd): Promise<void> {
    await this.#orphansEnded;
    if (code !== 0 || this.#wasSignalled) await this.#group?.endStrays();
  }

  #failed(error: Error): void {
    // Also emitted when a signal could not be delivered; a process that never started has no pid.
    const neverStarted = this.#startFailed || (this.#child.pid === undefined && !this.#stopping);
    if (neverStarted) this.#finish({ code: null, signal: null, error });
    else this.#receiver?.noise(`[process error] ${messageOf(error)}`);
  }

  #finish(end: TransportEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#inputEnded = true;
    this.#escalation.cancel();
    clock.clearTimeout(this.#drainTimer);
    if (!this.#outputEnded) {
      this.#outputEnded = true;
      this.#splitter.end();
    }
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    void this.#endRest(end).then(() => {
      this.#group?.forget();
      this.#receiver?.end(end);
      const waiters = this.#endWaiters ?? [];
      this.#endWaiters = undefined;
      for (const resolve of waiters) resolve();
    });
  }
}

/** Checks the first character first: a frame begins with a brace, and may be long. */
function isBlank(text: string): boolean {
  return text[0] !== '{' && text.trim() === '';
}

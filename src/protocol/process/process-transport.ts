import { ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { messageOf, TenonError } from '../errors.js';
import type { Frame } from '../frames.js';
import { isFrame } from '../frames.js';
import { LIMITS } from '../limits.js';
import { type LineReceiver, LineSplitter } from '../line-splitter.js';
import type { Transport, TransportEnd, TransportReceiver } from '../transport.js';
import { Escalation, type EscalationTarget } from './escalation.js';
import { LineWriter } from './line-writer.js';
import { endOrphans, forget, signalGroup, watch } from './process-group.js';

/** The least that a process must have to carry frames. `ChildProcess` fits, and so does what a user's own spawn returns. */
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
  /** From the end of input to SIGTERM, when `stop` is not told otherwise. */
  closeGraceMs?: number | undefined;
}

export interface SpawnSpecification extends ProcessTransportOptions {
  command: string;
  args: readonly string[];
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** Starts a program in a process group of its own, so that it can be stopped with everything that it started. */
export function spawnTransport(specification: SpawnSpecification): ProcessTransport {
  const child = spawn(specification.command, specification.args, {
    cwd: specification.cwd,
    env: specification.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  return new ProcessTransport(child, specification, ownsGroup(child));
}

function ownsGroup(child: ChildProcess): boolean {
  return process.platform !== 'win32' && child.pid !== undefined;
}

/** Frames as lines over a process's stdin and stdout. */
export class ProcessTransport implements Transport, LineReceiver, EscalationTarget {
  readonly #child: FrameProcess;
  readonly #group: number | undefined;
  /** It could not be started, and Node will say why in a moment. */
  readonly #unborn: boolean;
  readonly graceMs: number;
  readonly #splitter: LineSplitter;
  readonly #writer: LineWriter | undefined;
  readonly #escalation: Escalation;
  #receiver: TransportReceiver | undefined;
  #inputEnded = false;
  #exit: TransportEnd | undefined;
  #stopping = false;
  #ended = false;
  #outputEnded = false;
  #stderrEnded = false;
  #orphansGone: Promise<void> | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  /** Whoever waits for the process to be gone; undefined once it is. */
  #waiting: (() => void)[] | undefined = [];

  constructor(child: FrameProcess, options: ProcessTransportOptions = {}, ownGroup = false) {
    this.#child = child;
    this.#writer = child.stdin === null ? undefined : new LineWriter(child.stdin);
    this.#group = ownGroup ? child.pid : undefined;
    this.#unborn = child instanceof ChildProcess && child.pid === undefined;
    this.graceMs = options.closeGraceMs ?? LIMITS.closeGraceMs;
    this.#splitter = new LineSplitter(this, options.maxLineBytes);
    this.#escalation = new Escalation(this);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    const { stdin, stdout, stderr } = this.#child;
    if (this.#group !== undefined) watch(this.#group);
    this.#child.once('error', (error) => this.#failed(error));
    this.#child.once('exit', (code, signal) => this.#exited(code, signal));
    // The agent may close its end or die in the middle of a write: the exit tells, the pipe must not throw.
    stdin?.on('error', () => {
      this.#inputEnded = true;
    });
    stdout?.on('error', () => this.#outputDone());
    stdout?.on('data', (chunk: Buffer) => this.#splitter.push(chunk));
    stdout?.on('end', () => this.#outputDone());
    stdout?.on('close', () => this.#outputDone());
    if (stdout == null) this.#outputEnded = true;
    // Always drained: an unread pipe stops its writer at 64 KB. And to its end: the last words tell why it died.
    stderr?.on('error', () => this.#stderrDone());
    stderr?.setEncoding('utf8');
    stderr?.on('data', (text: string) => receiver.stderr(text));
    stderr?.on('end', () => this.#stderrDone());
    stderr?.on('close', () => this.#stderrDone());
    if (stderr == null) this.#stderrEnded = true;
  }

  send(frame: Frame): boolean {
    // Swallowed: the end that follows tells whoever waits for an answer the reason.
    if (this.#unborn && !this.#inputEnded) return true;
    if (this.#inputEnded || this.#ended || this.#writer === undefined || !this.#child.stdin?.writable) {
      throw new TenonError('INPUT_CLOSED', 'Cannot send: the input of this conversation has ended.');
    }
    return this.#writer.write(JSON.stringify(frame));
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
    // A process that is leaving cannot be held up any more: what it wrote last would be lost.
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
      if (this.#waiting === undefined) resolve();
      else this.#waiting.push(resolve);
    });
  }

  // What the splitter says (LineReceiver).

  line(text: string, byteLength: number): void {
    if (isBlank(text)) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#receiver?.noise(text);
      return;
    }
    if (isFrame(value)) this.#receiver?.frame(value, byteLength);
    else this.#receiver?.noise(text);
  }

  oversized(byteLength: number, head: string): void {
    this.#receiver?.noise(`[a line of ${byteLength} bytes was dropped] ${head}`);
  }

  // What is done to a process that does not leave (EscalationTarget).

  signal(signal: NodeJS.Signals): void {
    if (this.#group !== undefined) signalGroup(this.#group, signal);
    else this.#child.kill(signal);
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
    if (this.#group !== undefined) this.#orphansGone = endOrphans(this.#group);
    // What the process wrote last is still in the pipes; only a grandchild can keep them open longer.
    this.resume();
    this.#finishWhenDrained();
    if (this.#ended) return;
    const exit = this.#exit;
    // After a host that was busy for all that time, what has arrived is read before the pipes are given up.
    const giveUp = (): unknown => setImmediate(() => this.#finish(exit));
    this.#drainTimer = setTimeout(giveUp, LIMITS.drainAfterExitMs);
  }

  #failed(error: Error): void {
    // Also emitted when a signal could not be delivered; a process that never started has no pid.
    const neverStarted = this.#unborn || (this.#child.pid === undefined && !this.#stopping);
    if (neverStarted) this.#finish({ code: null, signal: null, error });
    else this.#receiver?.noise(`[process error] ${messageOf(error)}`);
  }

  #finish(end: TransportEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#inputEnded = true;
    this.#escalation.cancel();
    clearTimeout(this.#drainTimer);
    if (!this.#outputEnded) {
      this.#outputEnded = true;
      this.#splitter.end();
    }
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    void (this.#orphansGone ?? Promise.resolve()).then(() => {
      if (this.#group !== undefined) forget(this.#group);
      this.#receiver?.end(end);
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const gone of waiting) gone();
    });
  }
}

/** Without a look at all of it: a frame begins with a brace, and may be long. */
function isBlank(text: string): boolean {
  return text[0] !== '{' && text.trim() === '';
}

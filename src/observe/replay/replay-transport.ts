import { clock, type Timer } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { Transport, TransportEnd, TransportReceiver } from '../../protocol/transport/transport.js';
import type { Frame } from '../../protocol/wire/frames.js';
import { type TapeEnd, TapeError, type TapeFrame } from '../tape-format.js';
import type { PlayedLine } from '../tape-reader.js';
import type { TapeDifference } from './differences.js';
import { isAnswer } from './frame-key.js';
import { ProgramSide } from './program-side.js';

/** Other work of the process gets its turn between two slices. */
const LINES_PER_SLICE = 100;

export interface ReplaySettings {
  file: string;
  lines: readonly PlayedLine[];
  /** How long to wait for what the program did by itself. */
  patienceMs: number;
  /** How long to wait before a line that came `gapMs` after the one before it. Default: not at all. */
  pace?: ((gapMs: number) => number) | undefined;
  differs(difference: TapeDifference): void;
  /** Called when the replay has come to something that the program has not sent yet. */
  needs?: ((frame: Frame) => void) | undefined;
}

/**
 * Plays the agent's part of a tape. What the agent sent is delivered in its order; where the program had sent something
 * in between, the replay waits until it does so again.
 */
export class ReplayTransport implements Transport {
  readonly pid = undefined;
  readonly #settings: ReplaySettings;
  readonly #program: ProgramSide;
  #receiver: TransportReceiver | undefined;
  #position = 0;
  #time = 0;
  /** The line that has been waited for long enough. */
  #waitedFor = -1;
  #isPaused = false;
  #inputIsOver = false;
  #isOver = false;
  #isScheduled = false;
  #timer: Timer | undefined;
  #onEnd: (() => void)[] = [];

  constructor(settings: ReplaySettings) {
    this.#settings = settings;
    this.#program = new ProgramSide(settings.lines.filter(isSent), settings.differs);
  }

  /** How far into the recording it is, in milliseconds. */
  get time(): number {
    return this.#time;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  send(frame: Frame): boolean {
    if (this.#inputIsOver || this.#isOver) {
      throw new TenonError('INPUT_CLOSED', 'Cannot send: the input of this conversation has ended.');
    }
    // As a line would be; what cannot be one is thrown back, as by a process.
    const answer = this.#program.take(JSON.parse(JSON.stringify(frame)) as Frame);
    if (answer !== undefined) clock.setImmediate(() => this.#receiver?.frame(answer, 0));
    this.#schedule();
    return true;
  }

  async drained(): Promise<void> {}

  endInput(): void {
    this.#inputIsOver = true;
    this.#schedule();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  stop(): Promise<void> {
    this.#isPaused = false;
    this.endInput();
    if (this.#isOver || this.#receiver === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onEnd.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    clock.setImmediate(() => {
      this.#isScheduled = false;
      this.#play();
    });
  }

  #play(): void {
    let left = LINES_PER_SLICE;
    while (left > 0 && this.#receiver !== undefined && !this.#isOver && !this.#isPaused) {
      left -= 1;
      if (!this.#playNext(this.#receiver)) return;
    }
    if (left === 0) this.#schedule();
  }

  /** False: it is too early for the next line. */
  #playNext(receiver: TransportReceiver): boolean {
    const line = this.#settings.lines[this.#position];
    if (line === undefined) this.#end(this.#tornEnd());
    else if (this.#mustWait(line)) return false;
    else {
      clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#position += 1;
      this.#time = line.t;
      this.#playLine(line, receiver);
    }
    return true;
  }

  /** Whether it is too early for a line. Whatever it waits for schedules another look. */
  #mustWait(line: PlayedLine): boolean {
    if (this.#inputIsOver || this.#waitedFor === this.#position) return false;
    if (isSent(line)) {
      if (this.#program.has(line.frame)) return false;
      this.#settings.needs?.(line.frame);
      // The program's own code is at work, and may take as long as it takes.
      return isAnswer(line.frame) || this.#waits(this.#settings.patienceMs);
    }
    if (line.kind === 'input-end') return this.#waits(this.#settings.patienceMs);
    return this.#waits(this.#settings.pace?.(line.t - this.#time) ?? 0);
  }

  #waits(milliseconds: number): boolean {
    if (milliseconds <= 0) return false;
    const position = this.#position;
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined;
      this.#waitedFor = position;
      this.#play();
    }, milliseconds);
    return true;
  }

  #playLine(line: PlayedLine, receiver: TransportReceiver): void {
    switch (line.kind) {
      case 'frame':
        this.#playFrame(line, receiver);
        break;
      case 'stderr':
        receiver.stderr(line.text);
        break;
      case 'noise':
        receiver.noise(line.text);
        break;
      case 'dropped':
        receiver.dropped?.(line.dropped);
        break;
      case 'end':
        this.#end(this.#recordedEnd(line));
        break;
      // Requests of the model are the agent's own affair, and the end of input was waited for.
      default:
        break;
    }
  }

  #playFrame(line: TapeFrame, receiver: TransportReceiver): void {
    if (line.direction === '>') {
      // An answer that is missing at the end of input was withdrawn with everything else.
      this.#program.match(line, !(this.#inputIsOver && isAnswer(line.frame)));
      return;
    }
    const frame = this.#program.translated(line.frame);
    if (frame !== undefined) receiver.frame(frame, 0);
  }

  #recordedEnd({ agent, program }: TapeEnd): TransportEnd {
    if (agent === null) {
      const text = `the recorded program ended, with exit code ${program}, while its agent was still running.`;
      return { code: null, signal: null, error: new TapeError(this.#settings.file, undefined, text) };
    }
    const { code, signal, error } = agent;
    return { code, signal, ...(error === undefined ? {} : { error: new Error(error) }) };
  }

  #tornEnd(): TransportEnd {
    const text = 'the recording breaks off here: its program was killed, or is still running.';
    return { code: null, signal: null, error: new TapeError(this.#settings.file, undefined, text) };
  }

  #end(end: TransportEnd): void {
    this.#isOver = true;
    clock.clearTimeout(this.#timer);
    this.#receiver?.end(end);
    for (const resolve of this.#onEnd.splice(0)) resolve();
  }
}

function isSent(line: PlayedLine): line is TapeFrame {
  return line.kind === 'frame' && line.direction === '>';
}

import { clock, type Timer, unref } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { FrameLine, RunEvent, RunRecorder } from '../protocol/transport/run-events.js';
import { headOf } from './tape-head.js';
import { TapeLines } from './tape-lines.js';

/** Takes the lines of a tape in the process that makes them. Neither method may throw or wait. */
export interface LineSink {
  /** Whole lines, redacted, each with its newline; the head first. Ten times a second, or when there are many. */
  write(text: string): void;
  /** Nothing more comes. */
  close(): void;
}

/** A recorder of one conversation that needs no file: for who shows it in the same process. */
export function newLineRecorder(sink: LineSink): RunRecorder {
  return new LineRecorder(sink);
}

class LineRecorder implements RunRecorder {
  readonly #sink: LineSink;
  #lines: TapeLines | undefined;
  #timer: Timer | undefined;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  take(event: RunEvent | FrameLine): void {
    if (event.kind === 'start') {
      const { maxTapeBytes: maxBytes, maxTapeFrameBytes: maxFrameBytes } = LIMITS;
      this.#lines = new TapeLines(event, { maxBytes, maxFrameBytes });
      this.#lines.head(headOf(event, this.#lines.startedAt));
    } else this.#lines?.take(event);
    if ((this.#lines?.waitingChars ?? 0) >= LIMITS.tapeFlushChars) this.#drain();
    this.#timer ??= unref(clock.setTimeout(() => this.#flush(), LIMITS.tapeFlushMs));
  }

  async close(): Promise<void> {
    this.#flush();
    this.#lines = undefined;
    this.#sink.close();
  }

  #flush(): void {
    clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drain();
  }

  #drain(): void {
    const text = this.#lines?.drain() ?? '';
    if (text !== '') this.#sink.write(text);
  }
}

import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { FrameLine, RunEvent, RunRecorder } from '../../protocol/transport/run-events.js';

/**
 * A recorder that is still being loaded: most programs record nothing, and should not load what it takes. It keeps
 * what happens in the meantime, up to a limit.
 */
export class Recording implements RunRecorder {
  #recorder: RunRecorder | undefined;
  readonly #ready: Promise<void>;
  #waiting: (RunEvent | FrameLine)[] = [];
  #waitingChars = 0;

  /** `opening` never rejects: what goes wrong is reported where it does. */
  constructor(opening: Promise<RunRecorder>) {
    this.#ready = opening.then((recorder) => {
      this.#recorder = recorder;
      for (const event of this.#waiting) recorder.take(event);
      this.#waiting = [];
    });
  }

  take(event: RunEvent | FrameLine): void {
    if (this.#recorder !== undefined) {
      this.#recorder.take(event);
      return;
    }
    // Beyond the limit the recorder finds a gap, and says so.
    if (event.kind === 'frame') this.#waitingChars += event.line.length;
    if (this.#waitingChars <= LIMITS.maxTapeQueueBytes) this.#waiting.push(event);
  }

  async close(): Promise<void> {
    await this.#ready;
    await this.#recorder?.close();
  }

  async tape(): Promise<string | undefined> {
    await this.#ready;
    return this.#recorder?.tape?.();
  }
}

/** Takes nothing: the recording could not begin. */
export function noRecorder(error: unknown, warn: (text: string) => void): RunRecorder {
  warn(`The conversation is not recorded: ${messageOf(error)}`);
  return { take: () => {}, close: async () => {} };
}

import { LIMITS } from '../limits.js';

/** What is done to a process that does not leave, as data: after how long, which measure. */
export interface EscalationTarget {
  /** From the end of input to the first signal. */
  graceMs: number;
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Even SIGKILL was not followed by an exit. */
  giveUp(): void;
}

export class Escalation {
  readonly #target: EscalationTarget;
  #timer: NodeJS.Timeout | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #signalled = false;

  constructor(target: EscalationTarget) {
    this.#target = target;
  }

  /**
   * Starts the clock; a second call can only shorten the first grace period. Without one the signal comes first:
   * in the middle of its work a CLI answers the end of input with one more question to the model.
   */
  begin(graceMs: number = this.#target.graceMs): void {
    if (this.#signalled) return;
    const deadline = performance.now() + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    const { endInput, signal, giveUp } = this.#target;
    if (graceMs > 0) endInput();
    const steps: [afterMs: number, measure: () => void][] = [
      [graceMs, () => signal('SIGTERM')],
      [LIMITS.endInputAfterSignalMs, endInput],
      [LIMITS.killGraceMs - LIMITS.endInputAfterSignalMs, () => signal('SIGKILL')],
      [LIMITS.reapMs, giveUp],
    ];
    this.#run(steps);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#signalled = true;
  }

  #run(steps: [number, () => void][]): void {
    const [step, ...rest] = steps;
    if (step === undefined) return;
    const [afterMs, measure] = step;
    this.#timer = setTimeout(() => {
      this.#signalled = true;
      measure();
      this.#run(rest);
    }, afterMs);
  }
}

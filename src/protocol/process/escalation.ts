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

type Step = readonly [afterMs: number, measure: (target: EscalationTarget) => void];

const LATER_STEPS: readonly Step[] = [
  [LIMITS.endInputAfterSignalMs, (target) => target.endInput()],
  [LIMITS.killGraceMs - LIMITS.endInputAfterSignalMs, (target) => target.signal('SIGKILL')],
  [LIMITS.reapMs, (target) => target.giveUp()],
];

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
    // Monotonic, as `performance.now()`, which would load a part of Node that takes 2 ms.
    const deadline = process.uptime() * 1000 + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    if (graceMs > 0) this.#target.endInput();
    this.#run([[graceMs, (target) => target.signal('SIGTERM')], ...LATER_STEPS]);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#signalled = true;
  }

  #run(steps: readonly Step[]): void {
    const [step, ...rest] = steps;
    if (step === undefined) return;
    const [afterMs, measure] = step;
    this.#timer = setTimeout(() => {
      this.#signalled = true;
      measure(this.#target);
      this.#run(rest);
    }, afterMs);
  }
}

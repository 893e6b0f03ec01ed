import { clock, type Timer } from '../../base/clock.js';
import { LIMITS } from '../../base/limits.js';

/** The process to end, and the measures against it. */
export interface EscalationTarget {
  /** From the end of input to the first signal. */
  graceMs: number;
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Even after SIGKILL the process did not exit. */
  giveUp(): void;
}

/** After how long, which measure. */
type Step = readonly [afterMs: number, measure: (target: EscalationTarget) => void];

const LATER_STEPS: readonly Step[] = [
  [LIMITS.endInputAfterSignalMs, (target) => target.endInput()],
  [LIMITS.killGraceMs - LIMITS.endInputAfterSignalMs, (target) => target.signal('SIGKILL')],
  [LIMITS.reapMs, (target) => target.giveUp()],
];

export class Escalation {
  readonly #target: EscalationTarget;
  #timer: Timer | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #signalled = false;

  constructor(target: EscalationTarget) {
    this.#target = target;
  }

  /**
   * Starts the clock; a second call can only shorten the grace period. Without a grace period the signal
   * comes first: a CLI in the middle of a turn reacts to the end of input with one more request to the model.
   */
  begin(graceMs: number = this.#target.graceMs): void {
    if (this.#signalled) return;
    const deadline = clock.monotonic() + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clock.clearTimeout(this.#timer);
    if (graceMs > 0) this.#target.endInput();
    this.#run([[graceMs, (target) => target.signal('SIGTERM')], ...LATER_STEPS]);
  }

  cancel(): void {
    clock.clearTimeout(this.#timer);
    this.#signalled = true;
  }

  #run(steps: readonly Step[]): void {
    const [step, ...rest] = steps;
    if (step === undefined) return;
    const [afterMs, measure] = step;
    this.#timer = clock.setTimeout(() => {
      this.#signalled = true;
      measure(this.#target);
      this.#run(rest);
    }, afterMs);
  }
}

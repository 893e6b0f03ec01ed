import { LIMITS } from '../limits.js';

/** What is done to a process that does not leave, as data: after how long, which measure. */
export interface EscalationTarget {
  /** From the end of input to the first signal. */
  graceMs: number;
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

  /** Starts the clock; a second call can only shorten the first grace period. */
  begin(graceMs: number = this.#target.graceMs): void {
    if (this.#signalled) return;
    const deadline = performance.now() + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    const { signal, giveUp } = this.#target;
    const steps: [afterMs: number, measure: () => void][] = [
      [graceMs, () => signal('SIGTERM')],
      [LIMITS.killGraceMs, () => signal('SIGKILL')],
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

/**
 * Runs the calls of one answer: those of read-only tools beside each other, every other one alone, and all in the
 * order in which the model asked. A call may be added while earlier ones run.
 */
export class ToolSchedule<Result> {
  readonly #calls: Promise<Result>[] = [];
  /** The last call that must be alone. */
  #lastExclusive: Promise<unknown> = Promise.resolve();

  add(isReadOnly: boolean, run: () => Promise<Result>): Promise<Result> {
    const before = isReadOnly ? this.#lastExclusive : Promise.allSettled(this.#calls);
    const call = before.then(run);
    this.#calls.push(call);
    if (!isReadOnly) this.#lastExclusive = call.catch(() => {});
    return call;
  }

  /** In the order of the calls, whichever ended first. */
  results(): Promise<PromiseSettledResult<Result>[]> {
    return Promise.allSettled(this.#calls);
  }
}

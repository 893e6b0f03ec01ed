import { TenonError } from '../protocol/errors.js';
import type { SDKResultMessage } from '../protocol/messages/index.js';
import type { TransportEnd } from '../protocol/transport.js';
import { ResultError } from './results.js';

export interface ExitStatus {
  code: number | null;
  signal: string | null;
}

/** The two promises that settle when a conversation has ended. */
export class Ending {
  readonly exited: Promise<ExitStatus>;
  readonly done: Promise<SDKResultMessage>;
  #exit: (status: ExitStatus) => void = () => {};
  #finish: { resolve(result: SDKResultMessage): void; reject(error: unknown): void } | undefined;

  constructor() {
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.done = new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
    });
    // Reading `done` is optional: the loop reports the same error.
    this.done.catch(() => {});
  }

  settle(
    { code, signal }: TransportEnd,
    lastResult: SDKResultMessage | undefined,
    error: Error | undefined,
  ): void {
    this.#exit({ code, signal });
    if (lastResult !== undefined && (error === undefined || error instanceof ResultError)) {
      this.#finish?.resolve(lastResult);
    } else {
      this.#finish?.reject(error ?? new TenonError('CLOSED', 'The query was closed before it had a result.'));
    }
  }
}

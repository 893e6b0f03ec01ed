import { TenonError } from '../protocol/errors.js';
import type { SDKResultMessage } from '../protocol/messages/index.js';
import type { TransportEnd } from '../protocol/transport.js';
import { ResultError } from './results.js';

export interface ExitStatus {
  code: number | null;
  signal: string | null;
}

/** The two promises that settle when a conversation has ended. Most programs ask for neither, so they are made when asked for. */
export class Ending {
  #exited: Deferred<ExitStatus> | undefined;
  #done: Deferred<SDKResultMessage> | undefined;
  #settle: (() => void) | undefined;

  get exited(): Promise<ExitStatus> {
    this.#exited ??= deferred();
    this.#settle?.();
    return this.#exited.promise;
  }

  get done(): Promise<SDKResultMessage> {
    this.#done ??= deferred();
    // Reading it is optional: the loop reports the same error.
    this.#done.promise.catch(() => {});
    this.#settle?.();
    return this.#done.promise;
  }

  settle(
    { code, signal }: TransportEnd,
    lastResult: SDKResultMessage | undefined,
    error: Error | undefined,
  ): void {
    this.#settle = () => {
      this.#exited?.resolve({ code, signal });
      if (lastResult !== undefined && (error === undefined || error instanceof ResultError)) {
        this.#done?.resolve(lastResult);
      } else {
        const closed = 'The query was closed before it had a result.';
        this.#done?.reject(error ?? new TenonError('CLOSED', closed));
      }
    };
    this.#settle();
  }
}

interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

function deferred<Value>(): Deferred<Value> {
  let settlers: Omit<Deferred<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settlers = { resolve, reject };
  });
  return { promise, ...(settlers as Omit<Deferred<Value>, 'promise'>) };
}

import { TenonError } from '../../protocol/base/errors.js';
import type { TransportEnd } from '../../protocol/transport/transport.js';
import type { SDKResultMessage } from '../../protocol/wire/messages/index.js';
import { ResultError } from '../query/results.js';

export interface ExitStatus {
  code: number | null;
  signal: string | null;
}

/**
 * The two promises that settle when a conversation ends. They are created on demand: most programs use
 * neither.
 */
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
    // Awaiting it is optional: the loop reports the same error.
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

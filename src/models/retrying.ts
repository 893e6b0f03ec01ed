import { clock, wait } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { StreamEvent } from '../protocol/wire/content.js';
import type { ModelContext } from '../runtime/model.js';

/** How often a request that failed for a transient reason is sent again, unless the user says otherwise. */
export const DEFAULT_MAX_RETRIES = 10;

/**
 * Where nobody answers at all, waiting longer hardly ever helps: after these, about eight seconds, the request has
 * failed.
 */
const MAX_CONNECTION_RETRIES = 4;

/** What an adapter knows about a failed request. */
export interface Failure {
  status: number | undefined;
  isTransient: boolean;
  /** One header of the response. */
  header(name: string): string | null | undefined;
  /** What the host is told, in one sentence. */
  reason: string;
}

/** How an adapter reads what its client throws. */
export interface Failures {
  of(error: unknown): Failure;
  /** What the runtime understands, in place of what was thrown. */
  told(error: unknown): unknown;
}

/**
 * The events of a request, sent again while it fails for a transient reason. Once part of the answer has been seen, a
 * second attempt would repeat it. Throws what the last attempt threw, in the words of `failures`.
 */
export function withRetries(
  open: () => Promise<AsyncIterable<StreamEvent>>,
  context: ModelContext,
  maxRetries: number,
  failures: Failures,
): AsyncIterableIterator<StreamEvent, void> {
  return new RetriedEvents(open, context, maxRetries, failures);
}

type Result = IteratorResult<StreamEvent, void>;

const END: Result = { done: true, value: undefined };
const NO_MORE: AsyncIterator<StreamEvent, void> = { next: async () => END };

/** Not a generator: every event would wait in it several times, and of long answers there are thousands. */
class RetriedEvents implements AsyncIterableIterator<StreamEvent, void> {
  readonly #open: () => Promise<AsyncIterable<StreamEvent>>;
  readonly #context: ModelContext;
  readonly #mostRetries: number;
  readonly #failures: Failures;
  /** Undefined until an attempt has brought its first event. */
  #events: AsyncIterator<StreamEvent, void> | undefined;

  constructor(
    open: () => Promise<AsyncIterable<StreamEvent>>,
    context: ModelContext,
    maxRetries: number,
    failures: Failures,
  ) {
    this.#open = open;
    this.#context = context;
    this.#mostRetries = Math.min(maxRetries, context.maxRetries ?? maxRetries);
    this.#failures = failures;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const next = this.#events === undefined ? this.#first() : this.#events.next();
    return next.then(undefined, this.#failed);
  }

  async return(): Promise<Result> {
    const events = this.#events;
    this.#events = NO_MORE;
    await events?.return?.();
    return END;
  }

  async #first(): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const events = (await this.#open())[Symbol.asyncIterator]();
        const first = await events.next();
        if (this.#events === undefined) {
          this.#events = events;
          return first;
        }
        // Nobody reads any more.
        await events.return?.();
        return END;
      } catch (error) {
        await this.#beforeAttemptAfter(attempt, error);
      }
    }
  }

  /** Throws what was thrown if there is to be no other attempt. */
  async #beforeAttemptAfter(attempt: number, error: unknown): Promise<void> {
    const { signal, onRetry } = this.#context;
    const failure = this.#failures.of(error);
    const most =
      failure.status === undefined ? Math.min(this.#mostRetries, MAX_CONNECTION_RETRIES) : this.#mostRetries;
    const isLeft = this.#events !== undefined || signal.aborted;
    if (isLeft || attempt > most || !failure.isTransient) throw error;
    const { status = null, reason } = failure;
    const delayMs = delayBefore(attempt, failure);
    onRetry({ attempt, maxRetries: most, delayMs, status, error: kindOf(status), reason });
    await wait(delayMs, { signal });
  }

  readonly #failed = (error: unknown): never => {
    this.#events = NO_MORE;
    throw this.#failures.told(error);
  };
}

export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** An error inside a stream has a type and no status. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
};

export function statusOfType(type: unknown): number | undefined {
  return typeof type === 'string' && Object.hasOwn(STATUS_OF_TYPE, type) ? STATUS_OF_TYPE[type] : undefined;
}

/** The delay that the server asks for, otherwise one that doubles, with jitter: many hosts must not retry in step. */
function delayBefore(attempt: number, { header }: Failure): number {
  const asked = askedDelay(header);
  if (asked !== undefined) return Math.min(asked, LIMITS.modelRetryMaxMs);
  const doubled = LIMITS.modelRetryMs * 2 ** (attempt - 1);
  return Math.round(Math.min(doubled, LIMITS.modelRetryMaxMs) * (1 + clock.random() * 0.25));
}

/** `retry-after` is a number of seconds or a date. */
function askedDelay(header: Failure['header']): number | undefined {
  const milliseconds = Number(header('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = header('retry-after') ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  const asked = Number.isNaN(seconds) ? Date.parse(text) - clock.now() : seconds * 1000;
  return Number.isNaN(asked) ? undefined : Math.max(0, asked);
}

function kindOf(status: number | null): string {
  if (status === 429) return 'rate_limit';
  if (status === 529) return 'overloaded';
  if (status === 401) return 'authentication_failed';
  return status !== null && status >= 500 ? 'server_error' : 'unknown';
}

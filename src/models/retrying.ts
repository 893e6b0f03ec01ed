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

/**
 * The events of a request, sent again while it fails for a transient reason. Once part of the answer has been seen, a
 * second attempt would repeat it. Throws what the last attempt threw.
 */
export async function* withRetries(
  open: () => AsyncIterable<StreamEvent>,
  { signal, onRetry, ...context }: ModelContext,
  maxRetries: number,
  failureOf: (error: unknown) => Failure,
): AsyncGenerator<StreamEvent, void> {
  const mostRetries = Math.min(maxRetries, context.maxRetries ?? maxRetries);
  for (let attempt = 1; ; attempt += 1) {
    let hasBegun = false;
    try {
      for await (const event of open()) {
        hasBegun = true;
        yield event;
      }
      return;
    } catch (error) {
      const failure = failureOf(error);
      const most = failure.status === undefined ? Math.min(mostRetries, MAX_CONNECTION_RETRIES) : mostRetries;
      if (hasBegun || signal.aborted || attempt > most || !failure.isTransient) throw error;
      const { status = null, reason } = failure;
      const delayMs = delayBefore(attempt, failure);
      onRetry({ attempt, maxRetries: most, delayMs, status, error: kindOf(status), reason });
      await wait(delayMs, { signal });
    }
  }
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

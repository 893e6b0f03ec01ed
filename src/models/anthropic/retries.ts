import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';

/** Transient failures: the network, a rate limit, an overloaded or failing server. */
export function isWorthRetrying(error: unknown): boolean {
  const { status, name } = error as { status?: unknown; name?: unknown };
  if (typeof status === 'number') return status === 408 || status === 409 || status === 429 || status >= 500;
  return typeof name === 'string' && /connection|timeout/i.test(name);
}

/** The delay that the server asks for, otherwise one that doubles, with jitter: many hosts must not retry in step. */
export function delayBefore(attempt: number, error: unknown): number {
  const headers = (error as { headers?: { get?(name: string): string | null } }).headers;
  const seconds = Number(headers?.get?.('retry-after') ?? Number.NaN);
  if (seconds >= 0) return Math.min(seconds * 1000, LIMITS.modelRetryMaxMs);
  const doubled = LIMITS.modelRetryMs * 2 ** (attempt - 1);
  return Math.round(Math.min(doubled, LIMITS.modelRetryMaxMs) * (1 + clock.random() * 0.25));
}

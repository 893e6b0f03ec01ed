import { clock } from '../../protocol/base/clock.js';

/** The delay between attempts doubles from here, with some jitter so that many hosts do not retry in step. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 32_000;

/** Transient failures: the network, a rate limit, an overloaded or failing server. */
export function isWorthRetrying(error: unknown): boolean {
  const { status, name } = error as { status?: unknown; name?: unknown };
  if (typeof status === 'number') return status === 408 || status === 409 || status === 429 || status >= 500;
  return typeof name === 'string' && /connection|timeout/i.test(name);
}

/** The delay that the server asks for, otherwise one that doubles. */
export function delayBefore(attempt: number, error: unknown): number {
  const headers = (error as { headers?: { get?(name: string): string | null } }).headers;
  const seconds = Number(headers?.get?.('retry-after') ?? Number.NaN);
  if (seconds >= 0) return Math.min(seconds * 1000, LONGEST_DELAY_MS);
  const doubled = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.round(Math.min(doubled, LONGEST_DELAY_MS) * (1 + clock.random() * 0.25));
}

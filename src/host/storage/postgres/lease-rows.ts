import { checkedDuration, checkedName, crashReason } from '../checked.js';
import type { Lease } from '../port/conversation.js';
import type { AcquireOptions } from '../port/leases.js';
import { numberIn, type Row, type Statement, statement, textIn } from './sql.js';
import { inMilliseconds } from './statements.js';

/** What is set in the row of a conversation that a worker takes. */
export function taken(schema: string, owner: string, ttlMs: string): string {
  return `state = 'running', owner = ${owner}::text, lease_until = ${inMilliseconds(ttlMs)}, changed = clock_timestamp(),
    previous = fence, fence = nextval('${schema}.fences')`;
}

export const LEASE_COLUMNS = 'tenant, session, fence, owner, previous, crashes';

export function takerValues({ owner, ttlMs }: AcquireOptions): [string, number] {
  return [checkedName('owner', owner), checkedDuration('ttlMs', ttlMs)];
}

export function leaseOf(row: Row): Lease {
  return {
    tenant: textIn(row, 'tenant') ?? '',
    session: textIn(row, 'session') ?? '',
    fence: numberIn(row, 'fence'),
    owner: textIn(row, 'owner') ?? '',
    previous: numberIn(row, 'previous'),
    crashes: numberIn(row, 'crashes'),
  };
}

/**
 * Gives back what workers hold whose time is over, by the clock of the database. $1 is `mostCrashes`. A row that somebody
 * is writing to is left alone: its worker lives, or the next look finds it.
 */
export function expire(schema: string, which = ''): Statement {
  return statement(`
    WITH lost AS (
      SELECT tenant, session FROM ${schema}.sessions
      WHERE state = 'running' AND lease_until <= clock_timestamp() ${which} FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE ${schema}.sessions s SET
      crashes = crashes + 1, lease_until = NULL, ready_at = clock_timestamp(), owner = NULL,
      state = CASE WHEN crashes + 1 >= $1::float8 THEN 'parked' ELSE 'queued' END,
      reason = CASE WHEN crashes + 1 >= $1::float8 THEN format('${crashReason('%s', '%s')}', crashes + 1, owner) END
    FROM lost WHERE s.tenant = lost.tenant AND s.session = lost.session`);
}

/** The time of every lease is over, for a database that nobody else can have open: whoever held them is gone. */
export function endLeases(schema: string): string {
  return `UPDATE ${schema}.sessions SET lease_until = clock_timestamp() WHERE state = 'running' AND lease_until > clock_timestamp()`;
}

export function mostCrashes({ maxCrashes }: AcquireOptions): number {
  return maxCrashes ?? Number.MAX_SAFE_INTEGER;
}

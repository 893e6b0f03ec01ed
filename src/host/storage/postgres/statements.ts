import type { Lease, SessionRef } from '../port/conversation.js';

/**
 * The row of a conversation, for the holder of the lease $1, $2, $3. Locked, so that nobody takes the conversation over
 * between this look and the end of the transaction. Every write begins with it.
 */
export function heldRow(schema: string): string {
  return `SELECT * FROM ${schema}.sessions
    WHERE tenant = $1 AND session = $2 AND fence = $3 AND owner IS NOT NULL FOR NO KEY UPDATE`;
}

export function leaseValues({ tenant, session, fence }: Lease): [string, string, number] {
  return [tenant, session, fence];
}

export function refValues({ tenant, session }: SessionRef): [string, string] {
  return [tenant, session];
}

/** A point in time as milliseconds since 1970. */
export function millisecondsOf(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::float8`;
}

/** So many milliseconds from now, by the clock of the database: `$n` is their number. */
export function inMilliseconds(parameter: string): string {
  return `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
}

/** Taken until the end of the transaction by one at a time. */
export function advisoryLock(name: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended('${name.replaceAll("'", "''")}', 0))`;
}

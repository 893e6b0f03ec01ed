import { checkedDuration, checkedRef } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Lease, SessionRef, TransactionQuery } from '../port/conversation.js';
import type { Acquired, AcquireOptions, LeaseStorage, ReleaseOptions } from '../port/leases.js';
import { claimer } from './claim.js';
import { type PostgresContext, wakeIn } from './context.js';
import { expire, LEASE_COLUMNS, leaseOf, mostCrashes, taken, takerValues } from './lease-rows.js';
import { numberIn, textIn } from './sql.js';
import { inMilliseconds, leaseValues, refValues } from './statements.js';

export function postgresLeases(context: PostgresContext): LeaseStorage {
  const { schema, database, changed } = context;
  // Leases of two workers can overlap once one is lost; in one order nobody waits for somebody who waits for him.
  const renew = `
    WITH held AS (
      SELECT s.tenant, s.session FROM ${schema}.sessions s
      JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS mine (tenant, session, fence)
        ON s.tenant = mine.tenant AND s.session = mine.session AND s.fence = mine.fence
      WHERE s.owner IS NOT NULL ORDER BY s.tenant, s.session FOR NO KEY UPDATE OF s
    )
    UPDATE ${schema}.sessions s SET lease_until = ${inMilliseconds('$4')} FROM held
    WHERE s.tenant = held.tenant AND s.session = held.session RETURNING s.fence`;
  // Looks only at its own row, so that it sees what was sent while it waited for the row.
  const release = `
    UPDATE ${schema}.sessions SET
      owner = NULL, lease_until = NULL, crashes = 0, changed = clock_timestamp(), ready_at = ${inMilliseconds('$6')},
      reason = CASE WHEN $4 = 'parked' THEN $5::text END,
      state = CASE
        WHEN $4 = 'idle' AND prompts + signals > 0 THEN 'queued'
        WHEN $4 = 'waiting' AND signals > 0 THEN 'queued'
        ELSE $4 END
    WHERE tenant = $1 AND session = $2 AND fence = $3 AND owner IS NOT NULL RETURNING state`;
  const releaseWith = async (
    query: TransactionQuery,
    lease: Lease,
    { state, reason = '', delayMs = 0 }: ReleaseOptions,
  ): Promise<ReleaseOptions['state']> => {
    const values = [...leaseValues(lease), state, reason, checkedDuration('delayMs', delayMs, 0)];
    const { rows } = await query(release, values);
    if (rows.length === 0) throw new LeaseLostError(lease);
    return textIn(rows[0], 'state') as ReleaseOptions['state'];
  };
  return {
    acquire: async (given, options) => acquire((await database()).query, schema, checkedRef(given), options),
    claim: claimer(context),
    renew: async (leases, { ttlMs }) => {
      if (leases.length === 0) return [];
      const columns = [leases.map((each) => each.tenant), leases.map((each) => each.session)];
      const values = [...columns, leases.map(({ fence }) => fence), checkedDuration('ttlMs', ttlMs)];
      const { rows } = await (await database()).query(renew, values);
      const kept = new Set(rows.map((row) => numberIn(row, 'fence')));
      return leases.filter(({ fence }) => !kept.has(fence));
    },
    release: async (lease, options) => {
      const { query, transaction } = await database();
      const { wake } = options;
      const state = await (wake === undefined
        ? releaseWith(query, lease, options)
        : transaction(async (inIt) => {
            const after = await releaseWith(inIt, lease, options);
            if (after === 'queued') await wakeIn(inIt, lease, wake);
            return after;
          }));
      if (state === 'queued') changed({ kind: 'queue' });
      return state;
    },
  };
}

async function acquire(
  query: TransactionQuery,
  schema: string,
  ref: SessionRef,
  options: AcquireOptions,
): Promise<Acquired> {
  const take = `
    UPDATE ${schema}.sessions SET ${taken(schema, '$3', '$4')}
    WHERE tenant = $1 AND session = $2 AND owner IS NULL AND state <> 'parked' RETURNING ${LEASE_COLUMNS}`;
  const values = [...refValues(ref), ...takerValues(options)];
  const free = await query(take, values);
  if (free.rows[0] !== undefined) return { lease: leaseOf(free.rows[0]) };
  await query(expire(schema, 'AND tenant = $2 AND session = $3'), [mostCrashes(options), ...refValues(ref)]);
  const freed = await query(take, values);
  if (freed.rows[0] !== undefined) return { lease: leaseOf(freed.rows[0]) };
  const { rows } = await query(
    `SELECT state, reason, extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000 AS "forMs"
     FROM ${schema}.sessions WHERE tenant = $1 AND session = $2`,
    refValues(ref),
  );
  if (rows[0] === undefined) return { refused: 'unknown' };
  if (rows[0].state === 'parked') return { refused: 'parked', reason: textIn(rows[0], 'reason') ?? '' };
  return { refused: 'held', forMs: Math.max(0, numberIn(rows[0], 'forMs')) };
}

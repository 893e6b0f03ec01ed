import { checkedDuration, checkedRef } from '../checked.js';
import type { Acquired, LeaseStorage } from '../port/leases.js';
import { claimer } from './claim.js';
import type { PostgresContext } from './context.js';
import { expire, LEASE_COLUMNS, leaseOf, mostCrashes, taken, takerValues } from './lease-rows.js';
import { numberIn, statement, textIn } from './sql.js';
import { inMilliseconds, refValues } from './statements.js';

export function postgresLeases(context: PostgresContext): LeaseStorage {
  const { schema, database } = context;
  // Leases of two workers can overlap once one is lost; in one order nobody waits for somebody who waits for him.
  const renew = statement(`
    WITH held AS (
      SELECT s.tenant, s.session FROM ${schema}.sessions s
      JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS mine (tenant, session, fence)
        ON s.tenant = mine.tenant AND s.session = mine.session AND s.fence = mine.fence
      WHERE s.owner IS NOT NULL ORDER BY s.tenant, s.session FOR NO KEY UPDATE OF s
    )
    UPDATE ${schema}.sessions s SET lease_until = ${inMilliseconds('$4')} FROM held
    WHERE s.tenant = held.tenant AND s.session = held.session RETURNING s.fence`);
  return {
    acquire: acquirer(context),
    claim: claimer(context),
    renew: async (leases, { ttlMs }) => {
      if (leases.length === 0) return [];
      const columns = [leases.map((each) => each.tenant), leases.map((each) => each.session)];
      const values = [...columns, leases.map(({ fence }) => fence), checkedDuration('ttlMs', ttlMs)];
      const { rows } = await (await database()).query(renew, values);
      const kept = new Set(rows.map((row) => numberIn(row, 'fence')));
      return leases.filter(({ fence }) => !kept.has(fence));
    },
  };
}

function acquirer({ schema, database }: PostgresContext): LeaseStorage['acquire'] {
  const take = statement(`
    UPDATE ${schema}.sessions SET ${taken(schema, '$3', '$4')}
    WHERE tenant = $1 AND session = $2 AND owner IS NULL AND state <> 'parked' RETURNING ${LEASE_COLUMNS}`);
  const expireOne = expire(schema, 'AND tenant = $2 AND session = $3');
  const look = statement(`
    SELECT state, reason, extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000 AS "forMs"
    FROM ${schema}.sessions WHERE tenant = $1 AND session = $2`);
  return async (given, options): Promise<Acquired> => {
    const ref = refValues(checkedRef(given));
    const values = [...ref, ...takerValues(options)];
    const { query } = await database();
    const free = await query(take, values);
    if (free.rows[0] !== undefined) return { lease: leaseOf(free.rows[0]) };
    await query(expireOne, [mostCrashes(options), ...ref]);
    const freed = await query(take, values);
    if (freed.rows[0] !== undefined) return { lease: leaseOf(freed.rows[0]) };
    const [row] = (await query(look, ref)).rows;
    if (row === undefined) return { refused: 'unknown' };
    if (row.state === 'parked') return { refused: 'parked', reason: textIn(row, 'reason') ?? '' };
    return { refused: 'held', forMs: Math.max(0, numberIn(row, 'forMs')) };
  };
}

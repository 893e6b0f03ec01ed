import { LIMITS } from '../../../protocol/base/limits.js';
import { checkedCount } from '../checked.js';
import type { LeaseStorage } from '../port/leases.js';
import type { PostgresContext } from './context.js';
import { expire, leaseOf, mostCrashes, taken, takerValues } from './lease-rows.js';
import { textIn } from './sql.js';

/** For no limit: more than there ever is, and still an integer of the database. */
const NO_LIMIT = 2 ** 31 - 1;

/**
 * Claims take turns, so that limits hold over all of them. Each looks at the tenants behind those of the one before, in a
 * circle: with very many tenants none is looked at too late, and no claim takes long.
 */
export function claimer({ schema, database }: PostgresContext): LeaseStorage['claim'] {
  let behind = '';
  return async (options) => {
    const { count, running = NO_LIMIT, perTenant = NO_LIMIT } = options;
    const limits = [
      checkedCount('count', count),
      checkedCount('running', running),
      checkedCount('perTenant', perTenant),
    ];
    const most = LIMITS.hostTenantsAtOnce;
    return (await database()).transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tenon claims ${schema}`]);
      await query(expire(schema, ''), [mostCrashes(options)]);
      const later = await tenantsBehind(behind, most);
      const tenants =
        later.length < most ? [...later, ...(await tenantsBehind('', most - later.length))] : later;
      behind = later.length < most ? '' : (later.at(-1) ?? '');
      if (tenants.length === 0) return [];
      const { rows } = await query(claim(schema), [
        ...takerValues(options),
        [...new Set(tenants)],
        ...limits,
      ]);
      return rows.map(leaseOf);

      async function tenantsBehind(name: string, limit: number): Promise<string[]> {
        const found = await query(tenantsWithWork(schema), [name, limit]);
        return found.rows.map((row) => textIn(row, 'tenant') ?? '');
      }
    });
  };
}

/** Jumps through the index from tenant to tenant, however many conversations each of them has. */
function tenantsWithWork(schema: string): string {
  const next = (name: string): string => `
    SELECT tenant FROM ${schema}.sessions WHERE state = 'queued' AND tenant > ${name} ORDER BY tenant LIMIT 1`;
  return `
    WITH RECURSIVE tenants (tenant) AS (
      (${next('$1::text COLLATE "C"')})
      UNION ALL
      SELECT (${next('t.tenant')}) FROM tenants t WHERE t.tenant IS NOT NULL
    )
    SELECT tenant FROM tenants WHERE tenant IS NOT NULL LIMIT $2`;
}

/** The first of each tenant, then the second of each, and so on, where those that run count as the first ones. */
function claim(schema: string): string {
  return `
    WITH busy AS (
      SELECT tenant, count(*) AS running FROM ${schema}.sessions WHERE state = 'running' GROUP BY tenant
    ), offered AS (
      SELECT t.tenant, q.session, q.ready_at, coalesce(b.running, 0) + q.place AS turn
      FROM unnest($3::text[]) AS t (tenant) LEFT JOIN busy b ON b.tenant = t.tenant CROSS JOIN LATERAL (
        SELECT few.*, row_number() OVER (ORDER BY ready_at, session) AS place FROM (
          SELECT session, ready_at FROM ${schema}.sessions
          WHERE tenant = t.tenant AND state = 'queued' AND ready_at <= clock_timestamp()
          ORDER BY ready_at LIMIT least($4::bigint, $6::bigint)
        ) few
      ) q
      WHERE coalesce(b.running, 0) + q.place <= $6::bigint
    ), chosen AS (
      SELECT tenant, session FROM offered ORDER BY turn, ready_at
      LIMIT greatest(0, least($4::bigint, $5::bigint - (SELECT coalesce(sum(running), 0) FROM busy)::bigint))
    ), free AS (
      SELECT s.tenant, s.session FROM ${schema}.sessions s
      JOIN chosen ON s.tenant = chosen.tenant AND s.session = chosen.session
      WHERE s.state = 'queued' ORDER BY s.tenant, s.session FOR NO KEY UPDATE OF s
    )
    UPDATE ${schema}.sessions s SET ${taken(schema, '$1', '$2')}
    FROM free WHERE s.tenant = free.tenant AND s.session = free.session AND s.state = 'queued'
    RETURNING s.tenant, s.session, fence, owner, previous, crashes`;
}

import { LIMITS } from '../../../protocol/base/limits.js';
import { checkedCount } from '../checked.js';
import type { Lease } from '../port/conversation.js';
import type { LeaseStorage } from '../port/leases.js';
import type { PostgresContext } from './context.js';
import { expire, leaseOf, mostCrashes, taken, takerValues } from './lease-rows.js';
import { type SqlQuery, statement, textIn } from './sql.js';

/** For no limit: more than there ever is, and still an integer of the database. */
const NO_LIMIT = 2 ** 31 - 1;

/**
 * Claims take turns, so that limits hold over all of them. Each looks at the tenants behind those of the one before, in a
 * circle: with very many tenants none is looked at too late, and no claim takes long.
 */
export function claimer({ schema, database }: PostgresContext): LeaseStorage['claim'] {
  const [expireAll, tenantsWithWork, claim] = [
    expire(schema),
    tenantsStatement(schema),
    claimStatement(schema),
  ];
  const tenantsBehind = async (query: SqlQuery, name: string, limit: number): Promise<string[]> => {
    const { rows } = await query(tenantsWithWork, [name, limit]);
    return rows.map((row) => textIn(row, 'tenant') ?? '');
  };
  /** The last fence of each tenant that was taken here, the longest ago first. */
  const served = new Map<string, number>();
  const serve = ({ tenant, fence }: Lease): void => {
    served.delete(tenant);
    served.set(tenant, fence);
    if (served.size > LIMITS.hostTenantsServed) served.delete(served.keys().next().value ?? '');
  };
  let behind = '';
  const nextTenants = async (query: SqlQuery): Promise<string[]> => {
    const most = LIMITS.hostTenantsAtOnce;
    const start = behind;
    const later = await tenantsBehind(query, start, most);
    behind = later.length < most ? '' : (later.at(-1) ?? '');
    if (later.length === most || start === '') return later;
    const first = await tenantsBehind(query, '', most - later.length);
    return [...new Set([...later, ...first])];
  };
  return async (options) => {
    const { count, running = NO_LIMIT, perTenant = NO_LIMIT, suspects } = options;
    const taker = takerValues(options);
    const limits = [
      checkedCount('count', count),
      checkedCount('running', running),
      checkedCount('perTenant', perTenant),
      checkedCount('suspects.crashes', suspects?.crashes ?? NO_LIMIT),
      checkedCount('suspects.count', suspects?.count ?? NO_LIMIT, 0),
    ];
    const leases = await (await database()).transaction(async (query) => {
      await query(expireAll, [mostCrashes(options)]);
      const tenants = await nextTenants(query);
      if (tenants.length === 0) return [];
      const last = tenants.map((tenant) => served.get(tenant) ?? 0);
      return (await query(claim, [...taker, tenants, ...limits, last])).rows.map(leaseOf);
    }, `tenon claims ${schema}`);
    for (const lease of leases) serve(lease);
    return leases;
  };
}

/** Jumps through the index from tenant to tenant, however many conversations each of them has. */
function tenantsStatement(schema: string) {
  const next = (name: string): string => `
    SELECT tenant FROM ${schema}.sessions WHERE state = 'queued' AND tenant > ${name} ORDER BY tenant LIMIT 1`;
  return statement(`
    WITH RECURSIVE tenants (tenant) AS (
      (${next('$1::text COLLATE "C"')})
      UNION ALL
      SELECT (${next('t.tenant')}) FROM tenants t WHERE t.tenant IS NOT NULL
    )
    SELECT tenant FROM tenants WHERE tenant IS NOT NULL LIMIT $2`);
}

/**
 * The first of each tenant, then the second of each, and so on, where those that run count as the first ones. Among equals comes
 * the tenant whose last turn in this program is longest ago.
 */
function claimStatement(schema: string) {
  return statement(`
    WITH busy AS (
      SELECT tenant, count(*) AS running FROM ${schema}.sessions WHERE state = 'running' GROUP BY tenant
    ), offered AS (
      SELECT t.tenant, q.session, q.ready_at, t.served, coalesce(b.running, 0) + q.place AS turn,
        q.crashes >= $7::bigint AS is_suspect
      FROM unnest($3::text[], $9::bigint[]) AS t (tenant, served) LEFT JOIN busy b ON b.tenant = t.tenant CROSS JOIN LATERAL (
        SELECT few.*, row_number() OVER (ORDER BY ready_at, session) AS place FROM (
          SELECT session, ready_at, crashes FROM ${schema}.sessions
          WHERE tenant = t.tenant AND state = 'queued' AND ready_at <= clock_timestamp()
            AND ($8::bigint > 0 OR crashes < $7::bigint)
          ORDER BY ready_at LIMIT least($4::bigint, $6::bigint)
        ) few
      ) q
      WHERE coalesce(b.running, 0) + q.place <= $6::bigint
    ), ranked AS (
      SELECT *, row_number() OVER (PARTITION BY is_suspect ORDER BY turn, served, ready_at) AS place FROM offered
    ), chosen AS (
      SELECT tenant, session FROM ranked WHERE NOT is_suspect OR place <= $8::bigint ORDER BY turn, served, ready_at
      LIMIT greatest(0, least($4::bigint, $5::bigint - (SELECT coalesce(sum(running), 0) FROM busy)::bigint))
    ), free AS (
      SELECT s.tenant, s.session FROM ${schema}.sessions s
      JOIN chosen ON s.tenant = chosen.tenant AND s.session = chosen.session
      WHERE s.state = 'queued' ORDER BY s.tenant, s.session FOR NO KEY UPDATE OF s
    )
    UPDATE ${schema}.sessions s SET ${taken(schema, '$1', '$2')}
    FROM free WHERE s.tenant = free.tenant AND s.session = free.session AND s.state = 'queued'
    RETURNING s.tenant, s.session, fence, owner, previous, crashes`);
}

import { checkedLimit, checkedRef } from '../checked.js';
import { heldError } from '../errors.js';
import type { SessionState } from '../port/conversation.js';
import type { SessionStorage, StoredSession } from '../port/sessions.js';
import { type PostgresContext, wakeIn } from './context.js';
import { numberIn, type Row, textIn } from './sql.js';
import { millisecondsOf, refValues } from './statements.js';

/** Who was lost has left its conversation to the next. */
const STATE = `CASE WHEN state = 'running' AND lease_until <= clock_timestamp() THEN 'queued' ELSE state END`;

export function postgresSessions({ schema, database, changed }: PostgresContext): SessionStorage {
  const columns = `tenant, session, ${STATE} AS state, reason, owner, prompts + signals AS inbox, last_event,
    ${millisecondsOf('created')} AS created, ${millisecondsOf('changed')} AS changed`;
  const list = `
    SELECT ${columns} FROM ${schema}.sessions
    WHERE ($1::text IS NULL OR tenant = $1) AND ($2::text IS NULL OR ${STATE} = $2)
      AND ($3::text IS NULL OR (tenant, session) > ($3, $4::text))
    ORDER BY tenant, session LIMIT $5`;
  const unpark = `
    UPDATE ${schema}.sessions SET state = CASE WHEN prompts + signals > 0 THEN 'queued' ELSE 'idle' END,
      crashes = 0, reason = NULL, ready_at = clock_timestamp()
    WHERE tenant = $1 AND session = $2 AND state = 'parked' RETURNING state`;
  return {
    list: async ({ tenant, state, after, limit } = {}) => {
      const behind = after === undefined ? [null, null] : refValues(checkedRef(after));
      const values = [tenant ?? null, state ?? null, ...behind, checkedLimit(limit)];
      return (await (await database()).query(list, values)).rows.map(sessionOf);
    },
    get: async (ref) => {
      const text = `SELECT ${columns} FROM ${schema}.sessions WHERE tenant = $1 AND session = $2`;
      const [row] = (await (await database()).query(text, refValues(checkedRef(ref)))).rows;
      return row && sessionOf(row);
    },
    counts: async (tenant) => {
      const text = `
        SELECT ${STATE} AS state, count(*) AS count FROM ${schema}.sessions
        WHERE $1::text IS NULL OR tenant = $1 GROUP BY 1`;
      const { rows } = await (await database()).query(text, [tenant ?? null]);
      const counts: Record<SessionState, number> = { idle: 0, queued: 0, running: 0, waiting: 0, parked: 0 };
      for (const row of rows) counts[textIn(row, 'state') as SessionState] = numberIn(row, 'count');
      return counts;
    },
    unpark: async (given, { wake } = {}) => {
      const ref = checkedRef(given);
      const state = await (await database()).transaction(async (query) => {
        const { rows } = await query(unpark, refValues(ref));
        const after = textIn(rows[0], 'state');
        if (after === 'queued') await wakeIn(query, ref, wake);
        return after;
      });
      if (state === 'queued') changed({ kind: 'queue' });
      return state !== undefined;
    },
    remove: async (given) => {
      const ref = checkedRef(given);
      await (await database()).transaction(async (query) => {
        const lock = `
          SELECT ${STATE} AS state, owner FROM ${schema}.sessions WHERE tenant = $1 AND session = $2 FOR UPDATE`;
        const [row] = (await query(lock, refValues(ref))).rows;
        if (textIn(row, 'state') === 'running') throw heldError(ref, textIn(row, 'owner') ?? '');
        await query(`DELETE FROM ${schema}.events WHERE tenant = $1 AND session = $2`, refValues(ref));
        await query(`DELETE FROM ${schema}.sessions WHERE tenant = $1 AND session = $2`, refValues(ref));
      });
      changed({ kind: 'events', ...ref }, { kind: 'approvals' }, { kind: 'approvals', tenant: ref.tenant });
    },
  };
}

function sessionOf(row: Row): StoredSession {
  const state = textIn(row, 'state') as SessionState;
  const [reason, owner] = [textIn(row, 'reason'), textIn(row, 'owner')];
  return {
    tenant: textIn(row, 'tenant') ?? '',
    session: textIn(row, 'session') ?? '',
    state,
    ...(reason !== undefined && { reason }),
    ...(state === 'running' && owner !== undefined && { owner }),
    inbox: numberIn(row, 'inbox'),
    event: numberIn(row, 'last_event'),
    created: numberIn(row, 'created'),
    changed: numberIn(row, 'changed'),
  };
}

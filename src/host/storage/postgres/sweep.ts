import { LIMITS } from '../../../protocol/base/limits.js';
import { checkedCount, checkedDuration } from '../checked.js';
import type { Retention } from '../port/storage.js';
import { numberIn, type SqlDatabase } from './sql.js';

/**
 * Deletes a few thousand rows with each statement, until there are none left: nobody is held up for long. What another
 * program is busy with is left to the next time.
 */
export async function sweep(database: SqlDatabase, schema: string, retention: Retention): Promise<void> {
  const { events: { maxAgeMs, maxCount } = {}, doneMaxAgeMs } = retention;
  if (maxAgeMs !== undefined)
    await repeat(database, eventsByAge(schema), checkedDuration('maxAgeMs', maxAgeMs, 0));
  if (maxCount !== undefined)
    await repeat(database, eventsByCount(schema), checkedCount('maxCount', maxCount, 0));
  if (doneMaxAgeMs === undefined) return;
  const age = checkedDuration('doneMaxAgeMs', doneMaxAgeMs, 0);
  await repeat(database, done(schema, 'inbox', 'acknowledged IS NOT NULL AND acknowledged'), age);
  await repeat(database, done(schema, 'journal', `at ${before} AND ended`, ofIdle(schema)), age);
  await repeat(database, done(schema, 'approvals', 'settled IS NOT NULL AND settled', ofIdle(schema)), age);
}

async function repeat(database: SqlDatabase, statement: string, bound: number): Promise<void> {
  for (;;) {
    const { rows } = await database.query(statement, [bound, LIMITS.hostSweepRows]);
    if (numberIn(rows[0], 'count') === 0) return;
  }
}

const before = `< clock_timestamp() - $1::float8 * interval '1 millisecond'`;

function done(schema: string, table: string, condition: string, more = ''): string {
  return `
    WITH gone AS (
      DELETE FROM ${schema}.${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${schema}.${table} one WHERE ${condition} ${before} ${more} LIMIT $2 FOR UPDATE SKIP LOCKED
      )) RETURNING 1
    )
    SELECT count(*) AS count FROM gone`;
}

/**
 * A turn that waits for weeks still needs what its other calls have returned, and what was answered: without it they would be
 * made again.
 */
function ofIdle(schema: string): string {
  return `AND EXISTS (
    SELECT 1 FROM ${schema}.sessions s WHERE s.tenant = one.tenant AND s.session = one.session AND s.state = 'idle')`;
}

/** `last` is the last event of each conversation that goes. The row of the conversation says from where on they are kept. */
function events(schema: string, last: string): string {
  return `
    WITH old AS (${last}), moved AS (
      SELECT s.tenant, s.session, old.last FROM ${schema}.sessions s
      JOIN old ON s.tenant = old.tenant AND s.session = old.session FOR NO KEY UPDATE OF s SKIP LOCKED
    ), kept AS (
      UPDATE ${schema}.sessions s SET first_event = greatest(s.first_event, moved.last + 1)
      FROM moved WHERE s.tenant = moved.tenant AND s.session = moved.session
    ), gone AS (
      DELETE FROM ${schema}.events e USING moved
      WHERE e.tenant = moved.tenant AND e.session = moved.session AND e.id <= moved.last RETURNING 1
    )
    SELECT count(*) AS count FROM gone`;
}

function eventsByAge(schema: string): string {
  return events(
    schema,
    `SELECT tenant, session, max(id) AS last FROM (
       SELECT tenant, session, id FROM ${schema}.events WHERE at ${before} ORDER BY tenant, session, id LIMIT $2
     ) few GROUP BY tenant, session`,
  );
}

function eventsByCount(schema: string): string {
  return events(
    schema,
    `SELECT tenant, session, least(last_event - $1::bigint, first_event - 1 + $2::bigint) AS last FROM ${schema}.sessions
     WHERE last_event - first_event + 1 > $1::bigint LIMIT 100`,
  );
}

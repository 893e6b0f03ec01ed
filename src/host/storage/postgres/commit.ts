import { checkedDuration, jsonOf } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Commit, CommitTo, Committed } from '../port/commit.js';
import type { Lease } from '../port/conversation.js';
import type { Topic } from '../port/storage.js';
import { type PostgresContext, wakeIn } from './context.js';
import { numberIn, type Row, type SqlQuery, type Statement, statement, textIn } from './sql.js';
import { heldRow, inMilliseconds, leaseValues } from './statements.js';

/** One statement, which is a transaction; with a wake it needs one around it. */
export function postgresCommit({ schema, database, changed }: PostgresContext): CommitTo {
  const all = commitStatement(schema);
  const committed = async (query: SqlQuery, lease: Lease, values: unknown[]): Promise<Row> => {
    const [row] = (await query(all, values)).rows;
    if (row === undefined) throw new LeaseLostError(lease);
    return row;
  };
  return async (lease, commit) => {
    const values = [...leaseValues(lease), ...commitValues(commit)];
    const { query, transaction } = await database();
    const wake = commit.release?.wake;
    const row = await (wake === undefined
      ? committed(query, lease, values)
      : transaction(async (inIt) => {
          const after = await committed(inIt, lease, values);
          if (textIn(after, 'state') === 'queued') await wakeIn(inIt, lease, wake);
          return after;
        }));
    changed(...changes(lease, commit, row));
    return { event: numberIn(row, 'last_event'), state: textIn(row, 'state') as Committed['state'] };
  };
}

/**
 * All parts hang on the row of the conversation, which is locked first. The last one looks only at that row and at what this
 * statement has done: of the other tables it would see what was there before it waited for the row, and overlook what was
 * sent meanwhile.
 */
function commitStatement(schema: string): Statement {
  // Only a key has to be known later on.
  const acknowledged =
    'i.tenant = held.tenant AND i.session = held.session AND i.number = ANY ($5::bigint[]) AND i.acknowledged IS NULL';
  return statement(`
    WITH held AS (${heldRow(schema)}), done AS (
      DELETE FROM ${schema}.inbox i USING held WHERE ${acknowledged} AND i.idempotency_key IS NULL RETURNING i.kind
    ), kept AS (
      UPDATE ${schema}.inbox i SET acknowledged = clock_timestamp() FROM held
      WHERE ${acknowledged} AND i.idempotency_key IS NOT NULL RETURNING i.kind
    ), counted AS (
      SELECT count(*) FILTER (WHERE kind = 'prompt') AS prompts, count(*) FILTER (WHERE kind <> 'prompt') AS signals
      FROM (SELECT kind FROM done UNION ALL SELECT kind FROM kept) each
    ), gone AS (
      UPDATE ${schema}.approvals a SET state = 'gone', settled = clock_timestamp() FROM held
      WHERE a.tenant = held.tenant AND a.session = held.session AND a.state = 'pending'
        AND ($6::boolean OR a.key = ANY ($7::text[]))
      RETURNING a.key
    ), withdrawn AS (
      SELECT count(*) AS questions FROM gone
    ), added AS (
      INSERT INTO ${schema}.events (tenant, session, id, message)
      SELECT tenant, session, last_event + place, message
      FROM held, unnest($4::text[]) WITH ORDINALITY AS told (message, place)
    )
    UPDATE ${schema}.sessions s SET
      last_event = s.last_event + cardinality($4::text[]),
      prompts = s.prompts - c.prompts,
      signals = s.signals - c.signals,
      crashes = CASE WHEN $8::text IS NOT NULL OR c.prompts + c.signals > 0 THEN 0 ELSE s.crashes END,
      owner = CASE WHEN $8 IS NULL THEN s.owner END,
      lease_until = CASE WHEN $8 IS NULL THEN s.lease_until END,
      changed = CASE WHEN $8 IS NULL THEN s.changed ELSE clock_timestamp() END,
      ready_at = CASE WHEN $8 IS NULL THEN s.ready_at ELSE ${inMilliseconds('$10')} END,
      reason = CASE WHEN $8 = 'parked' THEN $9::text END,
      state = CASE
        WHEN $8 IS NULL THEN s.state
        WHEN $8 = 'idle' AND s.prompts + s.signals > c.prompts + c.signals THEN 'queued'
        WHEN $8 = 'waiting' AND s.signals > c.signals THEN 'queued'
        ELSE $8 END
    FROM held, counted c, withdrawn w WHERE s.tenant = held.tenant AND s.session = held.session
    RETURNING s.state, s.last_event, w.questions`);
}

function commitValues({ events = [], acknowledge = [], withdraw = [], release }: Commit): unknown[] {
  return [
    events.map((event) => jsonOf('events', event)),
    acknowledge,
    withdraw === 'all',
    withdraw === 'all' ? [] : withdraw,
    release?.state ?? null,
    release?.reason ?? '',
    checkedDuration('delayMs', release?.delayMs ?? 0, 0),
  ];
}

function changes({ tenant, session }: Lease, { events = [] }: Commit, row: Row): Topic[] {
  const topics: Topic[] = [];
  if (events.length > 0) topics.push({ kind: 'events', tenant, session });
  if (numberIn(row, 'questions') > 0) topics.push({ kind: 'approvals' }, { kind: 'approvals', tenant });
  if (textIn(row, 'state') === 'queued') topics.push({ kind: 'queue' });
  return topics;
}

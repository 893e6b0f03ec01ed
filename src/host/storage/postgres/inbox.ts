import { clock } from '../../../protocol/base/clock.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import { checkedLimit, checkedMessage, checkedName, checkedRef, checkSameMessage } from '../checked.js';
import { LeaseLostError, QueueFullError } from '../errors.js';
import type { SessionRef, TransactionQuery, Wake } from '../port/conversation.js';
import type { InboxEntry, InboxKind, InboxStorage, QueueLimits, Receipt } from '../port/inbox.js';
import { type PostgresContext, wakeIn } from './context.js';
import { numberIn, type Row, textIn } from './sql.js';
import { leaseValues, millisecondsOf, refValues } from './statements.js';

export function postgresInbox(context: PostgresContext): InboxStorage {
  const { schema, database, changed } = context;
  // The row is locked before anything else is looked at: who comes second sees what the first has done.
  const lock = `
    INSERT INTO ${schema}.sessions (tenant, session) VALUES ($1, $2)
    ON CONFLICT (tenant, session) DO UPDATE SET tenant = excluded.tenant`;
  const known = `
    SELECT id, number, event, kind, body FROM ${schema}.inbox
    WHERE tenant = $1 AND session = $2 AND idempotency_key = $3`;
  const read = `
    WITH held AS (SELECT 1 FROM ${schema}.sessions WHERE tenant = $1 AND session = $2 AND fence = $3 AND owner IS NOT NULL)
    SELECT i.id, i.number, i.kind, i.body, ${millisecondsOf('i.at')} AS at FROM held LEFT JOIN LATERAL (
      SELECT * FROM ${schema}.inbox
      WHERE tenant = $1 AND session = $2 AND acknowledged IS NULL ORDER BY kind = 'prompt', number LIMIT $4
    ) i ON true ORDER BY i.kind = 'prompt', i.number`;
  return {
    send: async (given, message, { idempotencyKey, limits = {}, wake } = {}) => {
      const ref = checkedRef(given);
      const { kind, body } = checkedMessage(message);
      const key = idempotencyKey === undefined ? null : checkedName('idempotencyKey', idempotencyKey);
      const receipt = await (await database()).transaction(async (query) => {
        await query(lock, refValues(ref));
        const [first] = key === null ? [] : (await query(known, [...refValues(ref), key])).rows;
        if (first !== undefined) {
          checkSameMessage(key ?? undefined, entryRow(first), { kind, body });
          return receiptOf(first);
        }
        if (kind === 'prompt') await checkLimits(query, schema, ref, limits);
        return addEntry(query, schema, ref, { kind, body, key, wake });
      });
      changed({ kind: 'inbox', ...ref }, { kind: 'queue' });
      return receipt;
    },
    read: async (lease, { limit } = {}) => {
      const { rows } = await (await database()).query(read, [...leaseValues(lease), checkedLimit(limit)]);
      if (rows.length === 0) throw new LeaseLostError(lease);
      return rows.flatMap((row) => (textIn(row, 'id') === undefined ? [] : [entryOf(row)]));
    },
  };
}

interface NewEntry {
  kind: InboxKind;
  body: string;
  key: string | null;
  wake: Wake | undefined;
}

/** Also for answers. The row of the conversation has to be locked. */
export async function addEntry(
  query: TransactionQuery,
  schema: string,
  ref: SessionRef,
  { kind, body, key, wake }: NewEntry,
): Promise<Receipt> {
  const add = `
    WITH counted AS (
      UPDATE ${schema}.sessions SET
        last_number = last_number + 1,
        prompts = prompts + (CASE WHEN $4 = 'prompt' THEN 1 ELSE 0 END),
        signals = signals + (CASE WHEN $4 = 'prompt' THEN 0 ELSE 1 END),
        changed = clock_timestamp(),
        ready_at = CASE WHEN state IN ('idle', 'waiting') THEN clock_timestamp() ELSE ready_at END,
        state = CASE WHEN state = 'idle' OR (state = 'waiting' AND $4 <> 'prompt') THEN 'queued' ELSE state END
      WHERE tenant = $1 AND session = $2 RETURNING *
    ), added AS (
      INSERT INTO ${schema}.inbox (tenant, session, number, id, kind, body, event, idempotency_key)
      SELECT tenant, session, last_number, $3::text, $4, $5::text, last_event, $6::text FROM counted
    )
    SELECT state, last_number AS number, last_event AS event, $3::text AS id FROM counted`;
  const { rows } = await query(add, [...refValues(ref), clock.uuid(), kind, body, key]);
  if (textIn(rows[0], 'state') === 'queued') await wakeIn(query, ref, wake);
  return receiptOf(rows[0]);
}

/**
 * Counts no further than the limit. Near it, senders take turns, so that no two of them take the last place; further away
 * nobody waits for anybody.
 */
async function checkLimits(
  query: TransactionQuery,
  schema: string,
  ref: SessionRef,
  limits: QueueLimits,
): Promise<void> {
  const places = { session: 'AND tenant = $2 AND session = $3', tenant: 'AND tenant = $2', all: '' };
  for (const of of ['session', 'tenant', 'all'] as const) {
    const limit = limits[of];
    if (limit === undefined) continue;
    const count = async (): Promise<number> => {
      const values = { session: refValues(ref), tenant: [ref.tenant], all: [] }[of];
      const { rows } = await query(
        `SELECT count(*) AS count FROM (SELECT 1 FROM ${schema}.inbox
         WHERE acknowledged IS NULL AND kind = 'prompt' ${places[of]} LIMIT $1) few`,
        [limit, ...values],
      );
      return numberIn(rows[0], 'count');
    };
    let waiting = await count();
    // Those of one conversation have its row locked anyway.
    if (of !== 'session' && waiting < limit && waiting + LIMITS.hostQueueMargin > limit) {
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tenon queue ${schema}`]);
      waiting = await count();
    }
    if (waiting >= limit) throw new QueueFullError(ref, of, limit);
  }
}

function receiptOf(row: Row | undefined): Receipt {
  return { id: textIn(row, 'id') ?? '', number: numberIn(row, 'number'), event: numberIn(row, 'event') };
}

function entryRow(row: Row): { kind: InboxKind; body: string } {
  return { kind: textIn(row, 'kind') as InboxKind, body: textIn(row, 'body') ?? 'null' };
}

function entryOf(row: Row): InboxEntry {
  const { kind, body } = entryRow(row);
  const { id, number } = receiptOf(row);
  return { id, number, at: numberIn(row, 'at'), kind, body: JSON.parse(body) };
}

import { clock } from '../../../protocol/base/clock.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import { checkedMessage, checkedName, checkedRef, checkSameMessage } from '../checked.js';
import { QueueFullError, StorageError } from '../errors.js';
import type { SessionRef, Wake } from '../port/conversation.js';
import type { InboxStorage, QueueLimits, Receipt } from '../port/inbox.js';
import { addEntry, type NewEntry, queuedBy } from './add-entry.js';
import { type PostgresContext, wakeIn } from './context.js';
import { sqlState } from './failures.js';
import { messageIn, receiptOf } from './inbox-rows.js';
import {
  numberIn,
  type Row,
  type SqlDatabase,
  type SqlQuery,
  type Statement,
  statement,
  textIn,
} from './sql.js';
import { advisoryLock, refValues } from './statements.js';

interface Sent extends NewEntry {
  ref: SessionRef;
  limits: QueueLimits;
  wake: Wake | undefined;
}

/** Nearly always one statement. What it cannot decide, it leaves undone, and several in a transaction do. */
export function sender({ schema, database, changed }: PostgresContext): InboxStorage['send'] {
  const quick = quickly(schema);
  const carefully = careful(schema);
  return async (given, message, { idempotencyKey, limits = {}, wake } = {}) => {
    const ref = checkedRef(given);
    const key = idempotencyKey === undefined ? null : checkedName('idempotencyKey', idempotencyKey);
    const sent = { ...checkedMessage(message), id: clock.uuid(), ref, key, limits, wake };
    const to = await database();
    const receipt = (await quick(to, sent)) ?? (await to.transaction((query) => carefully(query, sent)));
    changed({ kind: 'inbox', ...ref }, { kind: 'queue' });
    return receipt;
  };
}

/** Undefined, and nothing done: the key was used before, or a limit is near. */
function quickly(schema: string): (to: SqlDatabase, sent: Sent) => Promise<Receipt | undefined> {
  const send = quickStatement(schema);
  const row = async (
    query: SqlQuery,
    { ref, id, kind, body, key, limits }: Sent,
  ): Promise<Row | undefined> => {
    const { session, tenant, all } = kind === 'prompt' ? limits : {};
    const isNear = [tenant, all].some((limit) => limit !== undefined && limit <= LIMITS.hostQueueMargin);
    if (isNear) return undefined;
    const few = [tenant, all].map((limit) => (limit === undefined ? null : limit - LIMITS.hostQueueMargin));
    return (await query(send, [...refValues(ref), id, kind, body, key, session ?? null, ...few])).rows[0];
  };
  return async ({ query, transaction }, sent) => {
    const { ref, wake } = sent;
    try {
      const added = await (wake === undefined
        ? row(query, sent)
        : transaction(async (inIt) => {
            const counted = await row(inIt, sent);
            if (textIn(counted, 'state') === 'queued') await wakeIn(inIt, ref, wake);
            return counted;
          }));
      return added && receiptOf(added);
    } catch (error) {
      if (StorageError.is(error) && sqlState(error.cause) === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
  };
}

const UNIQUE_VIOLATION = '23505';

/**
 * Counts in the row of the conversation, which is locked by it, or made. The limits of a tenant and of everybody are counted a
 * little short, since senders who do not wait for one another can be as many too many.
 */
function quickStatement(schema: string): Statement {
  const isRoom = (limit: string, which: string): string => `
    (${limit}::bigint IS NULL OR ${limit} > (SELECT count(*) FROM (
      SELECT 1 FROM ${schema}.inbox WHERE acknowledged IS NULL AND kind = 'prompt' ${which} LIMIT ${limit}) few))`;
  return statement(`
    WITH counted AS (
      INSERT INTO ${schema}.sessions AS s (tenant, session, state, last_number, prompts, signals)
      SELECT $1, $2, 'queued', 1, n.prompts, 1 - n.prompts
      FROM (SELECT CASE WHEN $4 = 'prompt' THEN 1 ELSE 0 END AS prompts) n
      WHERE ($7::bigint IS NULL OR $7 > 0) AND ${isRoom('$8', 'AND tenant = $1')} AND ${isRoom('$9', '')}
      ON CONFLICT (tenant, session) DO UPDATE SET ${queuedBy('$4', 's.')}
      WHERE $7::bigint IS NULL OR s.prompts < $7
      RETURNING tenant, session, state, last_number, last_event
    ), added AS (
      INSERT INTO ${schema}.inbox (tenant, session, number, id, kind, body, event, idempotency_key)
      SELECT tenant, session, last_number, $3::text, $4, $5::text, last_event, $6::text FROM counted
    )
    SELECT state, last_number AS number, last_event AS event, $3::text AS id FROM counted`);
}

function careful(schema: string): (query: SqlQuery, sent: Sent) => Promise<Receipt> {
  // The row is locked before anything else is looked at: who comes second sees what the first has done.
  const lock = `
    INSERT INTO ${schema}.sessions (tenant, session) VALUES ($1, $2)
    ON CONFLICT (tenant, session) DO UPDATE SET tenant = excluded.tenant`;
  const known = `
    SELECT id, number, event, kind, body FROM ${schema}.inbox
    WHERE tenant = $1 AND session = $2 AND idempotency_key = $3`;
  return async (query, sent) => {
    const { ref, kind, body, key, limits, wake } = sent;
    await query(lock, refValues(ref));
    const [first] = key === null ? [] : (await query(known, [...refValues(ref), key])).rows;
    if (first !== undefined) {
      checkSameMessage(key ?? undefined, messageIn(first), { kind, body });
      return receiptOf(first);
    }
    if (kind === 'prompt') await checkLimits(query, schema, ref, limits);
    return addEntry(query, schema, ref, sent, wake);
  };
}

/**
 * Counts no further than the limit. Near it, senders take turns, so that no two of them take the last place; further away
 * nobody waits for anybody.
 */
async function checkLimits(
  query: SqlQuery,
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
      await query(advisoryLock(`tenon queue ${schema}`));
      waiting = await count();
    }
    if (waiting >= limit) throw new QueueFullError(ref, of, limit);
  }
}

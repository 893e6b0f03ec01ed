import type { SessionRef, Wake } from '../port/conversation.js';
import type { InboxKind, Receipt } from '../port/inbox.js';
import { wakeIn } from './context.js';
import { receiptOf } from './inbox-rows.js';
import { type SqlQuery, textIn } from './sql.js';
import { refValues } from './statements.js';

export interface NewEntry {
  id: string;
  kind: InboxKind;
  body: string;
  key: string | null;
}

/** What an entry of the kind in the given parameter changes in the row of its conversation. */
export function queuedBy(kind: string, row = ''): string {
  return `
    last_number = ${row}last_number + 1,
    prompts = ${row}prompts + (CASE WHEN ${kind} = 'prompt' THEN 1 ELSE 0 END),
    signals = ${row}signals + (CASE WHEN ${kind} = 'prompt' THEN 0 ELSE 1 END),
    changed = clock_timestamp(),
    ready_at = CASE WHEN ${row}state IN ('idle', 'waiting') THEN clock_timestamp() ELSE ${row}ready_at END,
    state = CASE WHEN ${row}state = 'idle' OR (${row}state = 'waiting' AND ${kind} <> 'prompt') THEN 'queued' ELSE ${row}state END`;
}

/** Also for answers. The row of the conversation has to be locked. */
export async function addEntry(
  query: SqlQuery,
  schema: string,
  ref: SessionRef,
  { id, kind, body, key }: NewEntry,
  wake: Wake | undefined,
): Promise<Receipt> {
  const add = `
    WITH counted AS (
      UPDATE ${schema}.sessions SET ${queuedBy('$4')} WHERE tenant = $1 AND session = $2 RETURNING *
    ), added AS (
      INSERT INTO ${schema}.inbox (tenant, session, number, id, kind, body, event, idempotency_key)
      SELECT tenant, session, last_number, $3::text, $4, $5::text, last_event, $6::text FROM counted
    )
    SELECT state, last_number AS number, last_event AS event, $3::text AS id FROM counted`;
  const { rows } = await query(add, [...refValues(ref), id, kind, body, key]);
  if (textIn(rows[0], 'state') === 'queued') await wakeIn(query, ref, wake);
  return receiptOf(rows[0]);
}

import type { SessionKey, SessionStore } from '../../../protocol/wire/session-store.js';
import { checkedLease, checkedRef } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Lease, SessionRef } from '../port/conversation.js';
import type { PostgresContext } from './context.js';
import { numberIn, type Row, statement, textIn } from './sql.js';
import { heldRow, leaseValues, refValues } from './statements.js';
import { appender } from './transcript-append.js';
import { encoded, KnownTranscripts, keyValues, knownOf, OF_PROJECT, ONE } from './transcript-rows.js';

export function postgresTranscript(
  context: PostgresContext,
): (of: Lease | SessionRef) => Required<SessionStore> {
  const { schema, database } = context;
  const known = new KnownTranscripts();
  const append = appender(context, known);
  const held = heldRow(schema);
  // Without an entry there is one row all the same, if there is a transcript.
  const load = statement(`
    SELECT t.transcript, t.last_entry, t.entries, t.summary, e.entry
    FROM ${schema}.transcripts t LEFT JOIN ${schema}.transcript_entries e USING (transcript)
    WHERE ${ONE} ORDER BY e.position`);
  const list = `SELECT session_id, mtime, summary FROM ${schema}.transcripts WHERE ${OF_PROJECT} AND subpath IS NULL`;
  const rowsOf = async (text: string, parameters: unknown[]): Promise<Row[]> =>
    (await (await database()).query(text, parameters)).rows;
  return (given) => {
    const of = 'fence' in given ? given : checkedRef(given);
    const listed = (projectKey: string): Promise<Row[]> =>
      rowsOf(list, [...refValues(of), encoded(projectKey)]);
    return {
      append: async (key, entries, options) => append(checkedLease(of), key, entries, options),
      load: async (key) => {
        const { rows } = await (await database()).query(load, keyValues(of, key));
        if (rows[0] === undefined) return null;
        known.set(of, key, knownOf(rows[0]));
        return rows.flatMap((row) => {
          const entry = textIn(row, 'entry');
          return entry === undefined ? [] : [JSON.parse(entry)];
        });
      },
      listSessions: async (projectKey) =>
        (await listed(projectKey)).map((row) => ({
          sessionId: decoded(row, 'session_id'),
          mtime: numberIn(row, 'mtime'),
        })),
      listSessionSummaries: async (projectKey) =>
        (await listed(projectKey)).map((row) => ({
          sessionId: decoded(row, 'session_id'),
          mtime: numberIn(row, 'mtime'),
          data: JSON.parse(textIn(row, 'summary') ?? '{}'),
        })),
      delete: async (key) => {
        const lease = checkedLease(of);
        await (await database()).transaction(async (query) => {
          const { rows } = await query(held, leaseValues(lease));
          if (rows.length === 0) throw new LeaseLostError(lease);
          const [text, values] = deleted(of, key);
          await query(`DELETE FROM ${schema}.transcripts WHERE ${text}`, values);
        });
      },
      listSubkeys: async (key) => {
        const text = `
          SELECT subpath FROM ${schema}.transcripts WHERE ${OF_PROJECT} AND session_id = $4 AND subpath IS NOT NULL`;
        return (await rowsOf(text, keyValues(of, key).slice(0, 4))).map((row) => decoded(row, 'subpath'));
      },
    };
  };
}

/** With those of its subagents, unless it is one of them. */
function deleted(of: SessionRef, key: SessionKey): [text: string, values: unknown[]] {
  if (key.subpath !== undefined) return [ONE, keyValues(of, key)];
  return [`${OF_PROJECT} AND session_id = $4`, keyValues(of, key).slice(0, 4)];
}

function decoded(row: Row, column: string): string {
  return JSON.parse(textIn(row, column) ?? '""');
}

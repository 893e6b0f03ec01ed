import type { SessionKey, SessionStore, SessionStoreEntry } from '../../../protocol/wire/session-store.js';
import { checkFollows, lastEntryId } from '../../../sessions/session-conflict.js';
import { foldSessionSummary } from '../../../sessions/summary.js';
import { checkedLease, jsonOf } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Lease, SessionRef, TransactionQuery } from '../port/conversation.js';
import type { PostgresContext } from './context.js';
import { numberIn, type Row, textIn } from './sql.js';
import { heldRow, leaseValues, refValues } from './statements.js';

/** Parts of keys are stored as JSON: they may contain what a database cannot store. */
const encoded = (part: string | undefined): string | null =>
  part === undefined ? null : JSON.stringify(part);

export function postgresTranscript(
  { schema, database }: PostgresContext,
  of: Lease | SessionRef,
): Required<SessionStore> {
  const which = 'tenant = $1 AND session = $2 AND project_key = $3';
  const values = ({ projectKey, sessionId, subpath }: SessionKey): (string | null)[] => [
    ...refValues(of),
    encoded(projectKey),
    encoded(sessionId),
    encoded(subpath),
  ];
  const one = `${which} AND session_id = $4 AND subpath IS NOT DISTINCT FROM $5`;
  const writing = async <Result>(work: (query: TransactionQuery) => Promise<Result>): Promise<Result> => {
    const lease = checkedLease(of);
    return (await database()).transaction(async (query) => {
      const { rows } = await query(heldRow(schema), leaseValues(lease));
      if (rows.length === 0) throw new LeaseLostError(lease);
      return work(query);
    });
  };
  const rowsOf = async (text: string, parameters: unknown[]): Promise<Row[]> =>
    (await (await database()).query(text, parameters)).rows;
  const listed = (projectKey: string): Promise<Row[]> =>
    rowsOf(
      `SELECT session_id, mtime, summary FROM ${schema}.transcripts WHERE ${which} AND subpath IS NULL`,
      [...refValues(of), encoded(projectKey)],
    );
  return {
    append: (key, entries, options) =>
      writing(async (query) => {
        const text = `
          SELECT transcript, last_entry, entries, mtime, summary, floor(extract(epoch FROM clock_timestamp()) * 1000) AS now
          FROM (SELECT 1) always LEFT JOIN ${schema}.transcripts ON ${one}`;
        const [row] = (await query(text, values(key))).rows;
        checkFollows(key, textIn(row, 'last_entry'), entries, options);
        // Always increasing, so that the order is known even within one millisecond.
        const mtime = Math.max(numberIn(row, 'now'), numberIn(row, 'mtime') + 1);
        await write(query, schema, { key, entries, row, mtime, values: values(key) });
      }),
    load: async (key) => {
      const rows = await rowsOf(
        `SELECT e.entry FROM ${schema}.transcripts LEFT JOIN ${schema}.transcript_entries e USING (transcript)
         WHERE ${one} ORDER BY e.position`,
        values(key),
      );
      if (rows.length === 0) return null;
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
    delete: (key) =>
      writing(async (query) => {
        const isAll = key.subpath === undefined;
        const text = isAll ? `${which} AND session_id = $4` : one;
        await query(`DELETE FROM ${schema}.transcripts WHERE ${text}`, values(key).slice(0, isAll ? 4 : 5));
      }),
    listSubkeys: async (key) => {
      const text = `
        SELECT subpath FROM ${schema}.transcripts WHERE ${which} AND session_id = $4 AND subpath IS NOT NULL`;
      return (await rowsOf(text, values(key).slice(0, 4))).map((row) => decoded(row, 'subpath'));
    },
  };
}

interface Written {
  key: SessionKey;
  entries: SessionStoreEntry[];
  /** What is there already; without a `transcript` there is nothing. */
  row: Row | undefined;
  mtime: number;
  values: readonly (string | null)[];
}

async function write(
  query: TransactionQuery,
  schema: string,
  { key, entries, row, mtime, values }: Written,
): Promise<void> {
  const texts = entries.map((entry) => jsonOf('entries', entry));
  const data = JSON.parse(textIn(row, 'summary') ?? '{}');
  const previous = { sessionId: key.sessionId, mtime, data };
  const summary = key.subpath === undefined ? foldSessionSummary(previous, key, entries).data : undefined;
  const known = [
    lastEntryId(entries) ?? textIn(row, 'last_entry') ?? null,
    mtime,
    encodedSummary(summary),
    texts,
  ];
  const isNew = row?.transcript === null || row?.transcript === undefined;
  const stored = isNew
    ? `INSERT INTO ${schema}.transcripts (tenant, session, project_key, session_id, subpath, last_entry, mtime, summary, entries)
       VALUES ($5, $6, $7, $8, $9, $1, $2, $3, cardinality($4::text[])) RETURNING transcript, entries`
    : `UPDATE ${schema}.transcripts
       SET last_entry = $1, mtime = $2, summary = $3, entries = entries + cardinality($4::text[])
       WHERE transcript = $5 RETURNING transcript, entries`;
  await query(
    `WITH stored AS (${stored})
     INSERT INTO ${schema}.transcript_entries (transcript, position, entry)
     SELECT transcript, entries - cardinality($4::text[]) + place, entry
     FROM stored, unnest($4::text[]) WITH ORDINALITY AS each (entry, place)`,
    [...known, ...(isNew ? values : [row?.transcript])],
  );
}

function encodedSummary(data: Record<string, unknown> | undefined): string | null {
  return data === undefined ? null : JSON.stringify(data);
}

function decoded(row: Row, column: string): string {
  return JSON.parse(textIn(row, column) ?? '""');
}

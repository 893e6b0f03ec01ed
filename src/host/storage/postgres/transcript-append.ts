import type {
  SessionAppendOptions,
  SessionKey,
  SessionStoreEntry,
} from '../../../protocol/wire/session-store.js';
import { checkFollows, isConflict, lastEntryId } from '../../../sessions/session-conflict.js';
import { foldSessionSummary } from '../../../sessions/summary.js';
import { jsonOf } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Lease } from '../port/conversation.js';
import type { PostgresContext } from './context.js';
import { numberIn, type Row, type SqlQuery, type Statement, statement } from './sql.js';
import { heldRow, leaseValues } from './statements.js';
import { type KnownTranscript, type KnownTranscripts, keyValues, knownOf, ONE } from './transcript-rows.js';

type Append = (
  lease: Lease,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options?: SessionAppendOptions,
) => Promise<void>;

/**
 * One statement, if the transcript is as this program knows it: what follows from what is there (whether the entries fit to it,
 * and the summary) can then be said beforehand. Else it is looked at first, in a transaction.
 */
export function appender({ schema, database }: PostgresContext, known: KnownTranscripts): Append {
  const held = statement(heldRow(schema));
  const look = statement(
    `SELECT transcript, last_entry, entries, summary FROM ${schema}.transcripts WHERE ${ONE}`,
  );
  const [insert, update] = [insertStatement(schema), updateStatement(schema)];
  const quickly = async (query: SqlQuery, lease: Lease, addition: Addition, expected: KnownTranscript) => {
    const place = [expected.transcript, expected.entries];
    const [row] = (await query(update, [...leaseValues(lease), ...valuesOf(addition), ...place])).rows;
    if (row === undefined) throw new LeaseLostError(lease);
    return row.transcript === null ? undefined : row;
  };
  const carefully = async (query: SqlQuery, lease: Lease, key: SessionKey, added: Added) => {
    if ((await query(held, leaseValues(lease))).rows.length === 0) throw new LeaseLostError(lease);
    const values = keyValues(lease, key);
    const [found] = (await query(look, values)).rows;
    const before = found && knownOf(found);
    checkFollows(key, before?.lastEntry, added.entries, added.options);
    const addition = additionTo(before, key, added);
    const [which, place] =
      before === undefined ? [insert, values.slice(2)] : [update, [before.transcript, before.entries]];
    const [row] = (await query(which, [...leaseValues(lease), ...valuesOf(addition), ...place])).rows;
    return { addition, row };
  };
  return async (lease, key, entries, options) => {
    const { query, transaction } = await database();
    const added = { entries, options, texts: entries.map((entry) => jsonOf('entries', entry)) };
    const expected = known.get(lease, key);
    if (expected !== undefined && seemsToFollow(expected, key, added)) {
      const addition = additionTo(expected, key, added);
      const row = await quickly(query, lease, addition, expected);
      if (row !== undefined) return known.set(lease, key, stored(addition, row));
    }
    const { addition, row } = await transaction((inIt) => carefully(inIt, lease, key, added));
    known.set(lease, key, stored(addition, row));
  };
}

interface Added {
  readonly entries: SessionStoreEntry[];
  /** The entries as JSON. */
  readonly texts: readonly string[];
  readonly options: SessionAppendOptions | undefined;
}

interface Addition {
  readonly lastEntry: string | undefined;
  readonly summary: string | undefined;
  readonly texts: readonly string[];
}

function additionTo(
  before: KnownTranscript | undefined,
  key: SessionKey,
  { entries, texts }: Added,
): Addition {
  const previous = { sessionId: key.sessionId, mtime: 0, data: JSON.parse(before?.summary ?? '{}') };
  const summary =
    key.subpath === undefined ? JSON.stringify(foldSessionSummary(previous, key, entries).data) : undefined;
  return { lastEntry: lastEntryId(entries) ?? before?.lastEntry, summary, texts };
}

/** If not, it may be that what is known is not current. */
function seemsToFollow(expected: KnownTranscript, key: SessionKey, { entries, options }: Added): boolean {
  try {
    checkFollows(key, expected.lastEntry, entries, options);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function stored({ lastEntry, summary }: Addition, row: Row | undefined): KnownTranscript {
  return { transcript: numberIn(row, 'transcript'), entries: numberIn(row, 'entries'), lastEntry, summary };
}

/** $4 to $6. */
function valuesOf({ lastEntry, summary, texts }: Addition): unknown[] {
  return [lastEntry ?? null, summary ?? null, texts];
}

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Of the transcript $7, if it still has $8 entries. Times always increase: the order is known even within one millisecond. */
function updateStatement(schema: string): Statement {
  return withEntries(
    schema,
    `UPDATE ${schema}.transcripts t SET
       last_entry = $4, summary = $5, mtime = greatest(${NOW}, t.mtime + 1), entries = t.entries + cardinality($6::text[])
     FROM held WHERE t.transcript = $7 AND t.entries = $8 AND t.tenant = held.tenant AND t.session = held.session
     RETURNING t.transcript, t.entries`,
  );
}

function insertStatement(schema: string): Statement {
  return withEntries(
    schema,
    `INSERT INTO ${schema}.transcripts (tenant, session, last_entry, summary, mtime, entries, project_key, session_id, subpath)
     SELECT tenant, session, $4, $5, ${NOW}, cardinality($6::text[]), $7, $8, $9 FROM held
     RETURNING transcript, entries`,
  );
}

/** No row: the lease is lost. A row of nulls: there is no such transcript. */
function withEntries(schema: string, storing: string): Statement {
  return statement(`
    WITH held AS (${heldRow(schema)}), stored AS (${storing}), added AS (
      INSERT INTO ${schema}.transcript_entries (transcript, position, entry)
      SELECT transcript, entries - cardinality($6::text[]) + place, entry
      FROM stored, unnest($6::text[]) WITH ORDINALITY AS each (entry, place)
    )
    SELECT stored.transcript, stored.entries FROM held LEFT JOIN stored ON true`);
}

import { TenonError } from '../../../protocol/base/errors.js';
import { wakeError } from '../errors.js';
import type { SessionRef, Wake } from '../port/conversation.js';
import type { Topic } from '../port/storage.js';
import type { SqlDatabase, SqlQuery } from './sql.js';

/** What the parts of the storage share. */
export interface PostgresContext {
  /** The schema's name, quoted. */
  readonly schema: string;
  /** Connected and migrated. */
  database(): Promise<SqlDatabase>;
  /** To be called once a change is committed: tells watchers here and in other programs. */
  changed(...topics: Topic[]): void;
}

/** The caller's wake, in the transaction that has queued the conversation. */
export async function wakeIn(query: SqlQuery, ref: SessionRef, wake: Wake | undefined): Promise<void> {
  if (wake === undefined) return;
  try {
    await wake({ tenant: ref.tenant, session: ref.session }, (text, values) => query(text, values));
    // A statement of the wake's that failed has undone everything, also if the wake has kept it to itself; and a commit would
    // not say so.
    await query('SELECT 1');
  } catch (error) {
    throw TenonError.is(error) ? error : wakeError(ref, error);
  }
}

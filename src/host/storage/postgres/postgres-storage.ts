import { OptionError } from '../../../protocol/base/errors.js';
import { closedError } from '../errors.js';
import type { HostStorage } from '../port/storage.js';
import { Announcements } from './announcements.js';
import { postgresApprovals } from './approvals.js';
import { postgresCommit } from './commit.js';
import { checkPlace, connect, type PostgresStorageOptions } from './connect.js';
import type { PostgresContext } from './context.js';
import { postgresEvents } from './events.js';
import { storageError } from './failures.js';
import { postgresInbox } from './inbox.js';
import { postgresJournal } from './journal.js';
import { endLeases } from './lease-rows.js';
import { postgresLeases } from './leases.js';
import { migrate } from './migrate.js';
import { postgresSessions } from './sessions.js';
import type { SqlDatabase } from './sql.js';
import { sweep } from './sweep.js';
import { postgresTranscript } from './transcript.js';

/**
 * Keeps conversations in PostgreSQL: on a server, which several programs can share, or in PGlite, which runs in this process
 * and needs nothing but a directory.
 */
export function postgresStorage(options: PostgresStorageOptions = {}): HostStorage {
  checkPlace(options);
  const name = checkedSchema(options.schema ?? 'tenon');
  const schema = `"${name}"`;
  let opening: Promise<SqlDatabase> | undefined;
  let isClosed = false;
  const opened = async (): Promise<SqlDatabase> => {
    opening ??= open(options, schema);
    try {
      return await opening;
    } catch (error) {
      // The next call tries again: a server may be starting.
      opening = undefined;
      throw storageError(error);
    }
  };
  const database = async (): Promise<SqlDatabase> => {
    if (isClosed) throw closedError();
    return opened();
  };
  const announcements = new Announcements(opened, schema, `tenon_${name}`);
  const context: PostgresContext = {
    schema,
    database,
    changed: (...topics) => announcements.changed(...topics),
  };
  return {
    inbox: postgresInbox(context),
    leases: postgresLeases(context),
    journal: postgresJournal(context),
    events: postgresEvents(context),
    approvals: postgresApprovals(context),
    sessions: postgresSessions(context),
    commit: postgresCommit(context),
    transcript: postgresTranscript(context),
    watch: (topic, onChange) => {
      if (isClosed) throw closedError();
      return announcements.watch(topic, onChange);
    },
    sweep: async (retention) => sweep(await database(), schema, retention),
    open: async () => void (await database()),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await announcements.close();
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function open(options: PostgresStorageOptions, schema: string): Promise<SqlDatabase> {
  const database = waitingForCalls(await connect(options));
  try {
    await migrate(database, schema);
    if (database.isOwn) await database.query(endLeases(schema));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Is not closed before the calls that are under way have come to their end. */
function waitingForCalls(database: SqlDatabase): SqlDatabase {
  const calls = new Set<Promise<unknown>>();
  const counted = <Result>(call: Promise<Result>): Promise<Result> => {
    const ended = call.catch(() => {}).finally(() => calls.delete(ended));
    calls.add(ended);
    return call;
  };
  return {
    ...database,
    query: (statement, values) => counted(database.query(statement, values)),
    transaction: (work, lock) => counted(database.transaction(work, lock)),
    close: async () => {
      await Promise.all(calls);
      await database.close();
    },
  };
}

/** Short enough to name a channel too. */
function checkedSchema(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,39}$/.test(name)) return name;
  throw new OptionError(
    'schema',
    name,
    `\`schema\` must be 1 to 40 small letters, digits and underscores, not ${JSON.stringify(name)}.`,
  );
}

import { StorageError } from '../errors.js';
import { MIGRATIONS } from './migrations.js';
import { numberIn, type SqlDatabase, type SqlQuery } from './sql.js';

/**
 * Brings the schema to the version of this program. Programs that start at the same time wait for one another; each step is
 * made once, and all of them or none.
 */
export async function migrate(database: SqlDatabase, schema: string, steps = MIGRATIONS): Promise<void> {
  // Without a lock first: a program whose role may create nothing can still use what is there.
  if ((await versionOf(database.query, schema, steps.length)) === steps.length) return;
  await database.transaction(async (query) => {
    const version = await versionOf(query, schema, steps.length);
    if (version === undefined) {
      await query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await query(
        `CREATE TABLE ${schema}.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())`,
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < (version ?? 0)) continue;
      // One by one: a statement with values, as all are sent, must be a single one.
      for (const statement of step(schema).split(';')) if (statement.trim() !== '') await query(statement);
      await query(`INSERT INTO ${schema}.migrations (version) VALUES ($1)`, [index + 1]);
    }
  }, `tenon migrates ${schema}`);
}

/** Undefined if there is nothing yet. */
async function versionOf(query: SqlQuery, schema: string, known: number): Promise<number | undefined> {
  // By a query: to_regclass() would answer from a cache that a wait for the lock does not renew.
  const found = await query(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations'`,
    [schema.replaceAll('"', '')],
  );
  if (found.rows.length === 0) return undefined;
  const { rows } = await query(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`);
  const version = numberIn(rows[0], 'version');
  if (version <= known) return version;
  throw new StorageError(
    `The schema ${schema} of the database has version ${version}, and this release of Tenon knows versions up to ${known}: a newer ` +
      'release has been here. Install that release, or give this program a `schema` of its own.',
    { isTransient: false },
  );
}

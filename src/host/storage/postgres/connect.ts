import { OptionError, TenonError } from '../../../protocol/base/errors.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import { onPGlite, type PGliteClient } from './on-pglite.js';
import { onPool, type PgPool } from './on-pool.js';
import type { SqlDatabase } from './sql.js';

/** Where the conversations are kept: one of the first four. */
export interface PostgresStorageOptions {
  /** A `Pool` of `pg` with a place for one connection more than the program needs itself: one listens. It stays yours. */
  pool?: PgPool | undefined;
  /** A server, for which a pool is opened (`npm install pg`). */
  connectionString?: string | undefined;
  /** A `PGlite` of yours. */
  client?: PGliteClient | undefined;
  /**
   * PGlite in a directory (`npm install @electric-sql/pglite`), which only one program can use at a time. What was stored
   * survives the end of the program, also by a kill; against a power failure use a server. Default: `.tenon/host`.
   */
  directory?: string | undefined;
  /**
   * Whether statements are prepared once for each connection, which saves half of the server's work. Turn it off behind a pooler
   * that gives every transaction another connection and does not know of it (PgBouncer before 1.21). Default: true.
   */
  prepare?: boolean | undefined;
  /** The schema for the tables, created if it is missing. Default: `tenon`. */
  schema?: string | undefined;
}

const DEFAULT_DIRECTORY = '.tenon/host';

/** Finds what cannot work, before anything is opened. */
export function checkPlace({ pool, connectionString, client, directory }: PostgresStorageOptions): void {
  const given = Object.entries({ pool, connectionString, client, directory }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const names = given.map(([name]) => `\`${name}\``).join(' and ');
    throw new OptionError('storage', names, `postgresStorage() was given ${names}: give it one of them.`);
  }
}

export async function connect(options: PostgresStorageOptions): Promise<SqlDatabase> {
  const { pool, connectionString, client, directory = DEFAULT_DIRECTORY, prepare: isPreparing } = options;
  if (pool !== undefined) return onPool(pool, { isPreparing });
  if (client !== undefined) return onPGlite(client);
  return connectionString === undefined
    ? openDirectory(directory)
    : openServer(connectionString, isPreparing);
}

async function openServer(connectionString: string, isPreparing: boolean | undefined): Promise<SqlDatabase> {
  const { default: pg } = await needed('pg', () => import('pg'));
  const pool = new pg.Pool({
    connectionString,
    application_name: 'tenon',
    connectionTimeoutMillis: LIMITS.storeCallMs,
    keepAlive: true,
  });
  return onPool(pool, { isPreparing, end: () => pool.end() });
}

async function openDirectory(directory: string): Promise<SqlDatabase> {
  const { PGlite } = await needed('@electric-sql/pglite', () => import('@electric-sql/pglite'));
  const { lockDirectory } = await import('./directory-lock.js');
  const unlock = await lockDirectory(directory);
  try {
    const client = await PGlite.create({ dataDir: `${directory}/data` });
    return onPGlite(client, () => client.close().finally(unlock));
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function needed<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw new TenonError(
      'PACKAGE_NOT_FOUND',
      `postgresStorage() needs the package "${name}", which is not installed. Install it: npm install ${name}`,
      { cause: error },
    );
  }
}

/** A private PostgreSQL server for a test: in a folder of its own, reached through a socket in it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { PATIENCE_MS } from '../../../support/patience.js';

const { findPostgres }: { findPostgres(): string | undefined } = await import(
  new URL('../../../../examples/shared/programs.mjs', import.meta.url).href
);

/** Undefined where no PostgreSQL is installed. */
export const binaries = findPostgres();

export interface PostgresServer {
  readonly connectionString: string;
  /** Ends it as a power failure would, and starts it again. Resolves when it can be reached. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; this id belongs to `nobody` on every system. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  // The path of a socket has to be short.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const options = ['--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'];
  await promisify(execFile)(join(binaries ?? '', 'initdb'), ['--pgdata', data, ...options], {
    ...identity,
    cwd: folder,
  });
  const connectionString = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`;
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    `fsync=${isDurable ? 'on' : 'off'}`,
  ];
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(
      join(binaries ?? '', 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...identity, cwd: folder, stdio: 'ignore' },
    );
    await untilReady(connectionString);
    return started;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  return {
    connectionString,
    crash: async () => {
      await end('SIGQUIT');
      server = await start();
    },
    stop: async () => {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(connectionString: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isReady(connectionString))) {
    if (Date.now() > end) throw new Error('PostgreSQL did not start.');
    await wait(20);
  }
}

async function isReady(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

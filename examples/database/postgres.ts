/** A private PostgreSQL server for a test, in its own folder and on a free port. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { PATIENCE_MS } from '../../test/support/patience.js';
import { freePort } from '../shared/free-port.js';

export interface PostgresServer {
  /** The URL with which `user` logs in. */
  url(user: string): string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; this id belongs to `nobody` on every system. */
const NOBODY = 65_534;

export async function startPostgres(binaries: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, 'data');
  const initdb = [
    '--pgdata',
    data,
    '--username',
    'superuser',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--no-sync',
  ];
  await promisify(execFile)(join(binaries, 'initdb'), initdb, { ...identity, cwd: folder });

  const port = await freePort();
  const settings = [
    'fsync=off',
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
  ];
  const server = spawn(
    join(binaries, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(server, 'exit');
  const url = (user: string) => `postgres://${user}@127.0.0.1:${port}/postgres`;
  await untilReady(url('superuser'), () => (server.exitCode === null ? undefined : log));
  return {
    url,
    stop: async () => {
      server.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string, failure: () => string | undefined): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const log = failure();
      if (log !== undefined) throw new Error(`PostgreSQL did not start:\n${log}`);
      if (Date.now() > end) throw error;
      await wait(50);
    }
  }
}

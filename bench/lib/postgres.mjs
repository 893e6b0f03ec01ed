// @ts-check
/** A private PostgreSQL server for one measurement: in a folder of its own, reached through a socket in it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from '../../examples/shared/programs.mjs';

/**
 * As it comes, with one exception: it is reached through a socket only. So a commit is on the disk when it is answered
 * (`fsync` and `synchronous_commit` are on).
 *
 * @typedef {object} Server
 * @property {string} connectionString
 * @property {() => number} cpu milliseconds that it has used so far
 * @property {() => Promise<void>} stop
 */

/** PostgreSQL refuses to run as root; this id belongs to `nobody` on every system. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** How long it may take to start, on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * @param {readonly string[]} [more] settings
 * @returns {Promise<Server>}
 */
export async function startPostgres(more = []) {
  const binaries = findPostgres();
  if (binaries === undefined)
    throw new Error('There is no PostgreSQL here. Install it, such as with `apt install postgresql`.');
  // The path of a socket has to be short.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const options = ['--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'];
  await promisify(execFile)(join(binaries, 'initdb'), ['--pgdata', data, ...options], {
    ...identity,
    cwd: folder,
  });
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=on', ...more];
  const server = spawn(
    join(binaries, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...identity, cwd: folder, stdio: 'ignore' },
  );
  // Whatever becomes of the measurement, nothing is left of the server.
  process.once('exit', () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  const connectionString = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`;
  await untilReady(connectionString);
  return {
    connectionString,
    cpu: () => cpuOf(Number(server.pid)),
    stop: async () => {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
    },
  };
}

/** @param {string} connectionString */
async function untilReady(connectionString) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/**
 * Of the server and its processes, those that have ended included. In ticks of 10 ms, and only on Linux.
 *
 * @param {number} server
 */
function cpuOf(server) {
  const own = [String(server), ...processes().filter((pid) => Number(statOf(pid)[1]) === server)];
  const ticks = own.map((pid) => {
    const [, , , , , , , , , , , user, system, childrenUser, childrenSystem] = statOf(pid).map(Number);
    const ended = Number(pid) === server ? Number(childrenUser) + Number(childrenSystem) : 0;
    return Number(user) + Number(system) + ended;
  });
  return 10 * ticks.reduce((sum, each) => sum + each, 0);
}

function processes() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** From the third field on: the state, the parent, … @param {string} pid */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Each store passes the conformance suite with its own real database. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { InMemorySessionStore, listSessions, query, type SessionStore } from 'tenon';
import { embedded } from 'tenon/runtime';
import { type MakeSessionStore, scriptedModel, sessionStoreConformance } from 'tenon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../database/postgres.js';
import { findPostgres, findRedis } from '../shared/programs.mjs';
import { serveHandler } from './handler-server.js';
import { HttpSessionStore, sessionStoreHandler } from './http-session-store.mjs';
import { PostgresSessionStore } from './postgres-session-store.mjs';
import { type RedisServer, startRedis } from './redis.js';
import { RedisSessionStore } from './redis-session-store.mjs';
import { SqliteSessionStore } from './sqlite-session-store.mjs';

const postgresBinaries = findPostgres();
const redisProgram = findRedis();

/** One agent begins a conversation, and another continues it. */
async function expectToContinue(sessionStore: SessionStore): Promise<void> {
  const ask = async (prompt: string, resume?: string) => {
    const model = scriptedModel([`Answer to ${prompt}`]);
    const options = {
      runtime: embedded({ model }),
      cwd: '/work',
      sessionStore,
      ...(resume ? { resume } : {}),
    };
    const { session_id } = await query({ prompt, options }).done;
    return { id: session_id, messages: JSON.stringify(model.requests[0]?.messages) };
  };
  const { id } = await ask('One');
  const { messages } = await ask('Two', id);
  expect(messages).toMatch(/One.*Answer to One.*Two/);
  expect(await listSessions({ dir: '/work', sessionStore })).toMatchObject([
    { sessionId: id, summary: 'Two' },
  ]);
}

function conforms(make: MakeSessionStore): void {
  for (const { name, run } of sessionStoreConformance(make)) it(name, run);
  it('a conversation continues', async () => {
    const made = await make();
    await expectToContinue('append' in made ? made : made.store);
    if (!('append' in made)) await made.dispose?.();
  });
}

describe('SQLite', () => {
  const files: string[] = [];
  afterAll(() => Promise.all(files.map((folder) => rm(folder, { recursive: true, force: true }))));
  conforms(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-sqlite-'));
    files.push(folder);
    const store = new SqliteSessionStore(join(folder, 'store.db'));
    return { store, dispose: () => store.close() };
  });
});

describe('behind HTTP', () => {
  conforms(async () => {
    const server = await serveHandler(sessionStoreHandler(new InMemorySessionStore()));
    return { store: new HttpSessionStore(server.url), dispose: async () => server[Symbol.asyncDispose]() };
  });

  it('a request that is none is refused, and a failure of the store is told', async () => {
    const failing = { load: () => Promise.reject(new Error('The disk is full.')) };
    await using server = await serveHandler(sessionStoreHandler(failing as never));
    const key = { projectKey: '-work', sessionId: randomUUID() };
    await expect(new HttpSessionStore(server.url).load(key)).rejects.toThrow('500: The disk is full.');
    for (const body of ['{', 'null', '{"method":"constructor","given":[]}']) {
      expect((await fetch(server.url, { method: 'POST', body })).status).toBe(400);
    }
  });
});

describe.skipIf(postgresBinaries === undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let store: PostgresSessionStore;
  beforeAll(async () => {
    server = await startPostgres(postgresBinaries ?? '');
    pool = new pg.Pool({ connectionString: server.url('superuser'), max: 4 });
    // The server may end connections while the pool is closing; that does not matter.
    pool.on('error', () => {});
    store = new PostgresSessionStore(pool);
    await store.createTables();
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  conforms(async () => {
    await pool.query('TRUNCATE tenon_sessions CASCADE');
    return store;
  });
});

describe.skipIf(redisProgram === undefined)('Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis(redisProgram ?? '');
  });
  afterAll(() => server.stop());
  conforms(() => new RedisSessionStore(server.client, `test-${randomUUID()}`));
});

it('the program runs, and the second agent has what the first said', async () => {
  const main = fileURLToPath(new URL('main.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  expect(stdout).toContain('read 3 messages');
  expect(stdout).toMatch(/user: Remember the number 7\..*assistant: 7\./s);
});

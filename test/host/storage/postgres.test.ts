/** The storage on a PostgreSQL server: what it costs, what it says, and what it does when the server does not answer (R60). */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostStorage, Lease, QueueLimits } from '../../../src/host/index.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { migrate } from '../../../src/host/storage/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/host/storage/postgres/migrations.js';
import { onPool } from '../../../src/host/storage/postgres/on-pool.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { holdTimers } from '../../support/held-timers.js';
import { binaries, type PostgresServer, startPostgres } from './support/postgres-server.js';

const REF = { tenant: 'acme', session: 'user-7' };
const PROMPT = { kind: 'prompt', body: 'hello' } as const;

/** A pool that writes down what is sent to the server. */
class WatchedPool extends pg.Pool {
  readonly statements: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: one of several shapes, and the storage uses only this one.
  override connect(): any {
    return super.connect().then((client) => {
      const query = client.query.bind(client);
      const release = client.release.bind(client);
      client.query = ((statement: string | pg.QueryConfig, values: unknown[]) => {
        const text = typeof statement === 'string' ? statement : statement.text;
        if (!text.includes('pg_notify')) this.statements.push(text);
        return typeof statement === 'string' ? query(statement, values) : query(statement);
      }) as typeof client.query;
      client.release = (error) => {
        client.query = query;
        release(error);
      };
      return client;
    });
  }
}

describe.skipIf(binaries === undefined)('on a PostgreSQL server', () => {
  let server: PostgresServer;
  let pool: WatchedPool;
  /** For what the test itself asks. */
  let admin: pg.Pool;
  let storage: HostStorage;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new WatchedPool({ connectionString: server.connectionString, max: 4 });
    admin = new pg.Pool({ connectionString: server.connectionString });
    // The pool is ended before its connections are.
    admin.on('error', () => {});
    storage = postgresStorage({ pool });
    await storage.open();
  });
  afterAll(async () => {
    await storage.close();
    await Promise.all([pool.end(), admin.end()]);
    await server.stop();
  });

  async function leased(of = storage): Promise<Lease> {
    await of.inbox.send(REF, PROMPT);
    const { lease } = await of.leases.acquire(REF, { owner: 'test', ttlMs: 600_000 });
    return lease as Lease;
  }

  /** Until so many statements wait for what somebody else has locked. */
  const waiting = (count: number): Promise<void> =>
    expect
      .poll(
        async () =>
          (await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
      )
      .toBe(count);

  it('a call of a tool costs two durable writes, and every other step of a turn one (goal of scale.md)', async () => {
    const lease = await leased();
    const counted = async (doing: () => Promise<unknown>): Promise<number> => {
      const before = pool.statements.length;
      await doing();
      return pool.statements.length - before;
    };
    const call = { sessionId: 's', toolUseId: 'toolu_1', toolName: 'tool', input: {} };
    const journal = storage.journal(lease);
    expect(
      await counted(async () => {
        await journal.begin(call);
        await journal.end(call, 'result');
      }),
    ).toBe(2);
    expect(await counted(() => storage.commit(lease, { events: ['a', 'b', 'c'] }))).toBe(1);
    expect(await counted(() => storage.leases.renew(Array(50).fill(lease), { ttlMs: 600_000 }))).toBe(1);
    const key = { projectKey: 'p', sessionId: 's' };
    const append = () =>
      counted(() => storage.transcript(lease).append(key, [{ type: 'user' }, { type: 'assistant' }]));
    // The first one, in a transaction, looks at what is there.
    expect(await append()).toBe(5);
    expect(await append()).toBe(1);
    const options = { idempotencyKey: 'mail', limits: { all: 10_000, tenant: 1_000, session: 100 } };
    expect(await counted(() => storage.inbox.send(REF, PROMPT, options))).toBe(1);
    expect(await counted(() => storage.inbox.read(lease))).toBe(1);
    const last = { events: ['d'], acknowledge: [1], withdraw: 'all', release: { state: 'idle' } } as const;
    expect(await counted(() => storage.commit(lease, last))).toBe(1);
  });

  it('what one program remembers of a transcript is compared with what another has written meanwhile', async () => {
    const ref = { ...REF, session: 'written by two' };
    const key = { projectKey: 'p', sessionId: 's' };
    const other = postgresStorage({ pool });
    const written = async (by: HostStorage, uuid: string, after: string | null, more = {}): Promise<void> => {
      await by.inbox.send(ref, PROMPT);
      const lease = (await by.leases.acquire(ref, { owner: 'test', ttlMs: 600_000 })).lease as Lease;
      const entry = { type: 'user', uuid, parentUuid: null, ...more };
      try {
        await by.transcript(lease).append(key, [entry], { after });
      } finally {
        await by.commit(lease, { release: { state: 'idle' } });
      }
    };
    await written(storage, 'a', null);
    await written(other, 'b', 'a', { gitBranch: 'main' });
    await expect(written(storage, 'c', 'a')).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await written(storage, 'c', 'b');
    await written(other, 'd', 'c');
    await written(storage, 'e', 'd');
    const entries = await other.transcript(ref).load(key);
    expect(entries?.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const [summary] = await storage.transcript(ref).listSessionSummaries('p');
    expect(summary?.data.gitBranch).toBe('main');
    await other.close();
  });

  it('statements are prepared once for each connection, unless that is turned off', async () => {
    const one = new pg.Pool({ connectionString: server.connectionString, max: 1 });
    const names = async (): Promise<string[]> =>
      (await one.query('SELECT name FROM pg_prepared_statements')).rows.map(({ name }) => name);
    const without = postgresStorage({ pool: one, prepare: false });
    await without.inbox.send({ ...REF, session: 'prepared' }, PROMPT);
    expect(await names()).toEqual([]);
    await without.close();
    for (let round = 0; round < 2; round += 1) {
      // Another storage on the same pool uses what is there.
      const storage = postgresStorage({ pool: one });
      for (let sent = 0; sent < 3; sent += 1)
        await storage.inbox.send({ ...REF, session: 'prepared' }, PROMPT);
      await storage.close();
      expect(await names()).toEqual([expect.stringMatching(/^tenon_/)]);
    }
    // As behind a pooler that takes the connection for somebody else in between.
    await one.query('DEALLOCATE ALL');
    const lost = postgresStorage({ pool: one });
    await expect(lost.inbox.send({ ...REF, session: 'prepared' }, PROMPT)).rejects.toThrow(/prepare: false/);
    await lost.close();
    await one.end();
  });

  it('limits hold where senders begin to take turns, and one conversation has its own exactly', async () => {
    const limited = postgresStorage({ pool, schema: 'limited' });
    const limit = LIMITS.hostQueueMargin + 6;
    const sent = (count: number, session: (index: number) => string, limits: QueueLimits) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, index) =>
          limited.inbox.send({ tenant: 'a', session: session(index) }, PROMPT, { limits }),
        ),
      );
    const taken = (outcomes: PromiseSettledResult<unknown>[]): number =>
      outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(taken(await sent(20, () => 'one', { session: 7 }))).toBe(7);
    expect(taken(await sent(limit + 20, (index) => `${index}`, { all: limit }))).toBe(limit - 7);
    expect(taken(await sent(20, (index) => `${index}`, { tenant: limit }))).toBe(0);
    await limited.close();
  });

  it('a wake is stored with what has caused it, or not at all (R61)', async () => {
    await admin.query('CREATE TABLE jobs (session text)');
    const ref = { ...REF, session: 'woken' };
    const jobs = async () => (await admin.query('SELECT session FROM jobs')).rows;
    const insert = 'INSERT INTO jobs VALUES ($1)';
    await storage.inbox.send(ref, PROMPT, {
      wake: async ({ session }, query) => void (await query?.(insert, [session])),
    });
    expect(await jobs()).toEqual([{ session: 'woken' }]);
    const failing = storage.inbox.send(ref, PROMPT, {
      wake: async ({ session }, query) => {
        await query?.(insert, [session]);
        throw new Error('the engine is full');
      },
    });
    await expect(failing).rejects.toMatchObject({ code: 'WAKE_FAILED', message: /the engine is full/ });
    // An error of the engine's own statement is the engine's too.
    const broken = storage.inbox.send(ref, PROMPT, {
      wake: async (_, query) => void (await query?.('SELEKT')),
    });
    await expect(broken).rejects.toMatchObject({ code: 'WAKE_FAILED', message: /syntax error/ });
    // So it is when the engine keeps it to itself: everything would be undone, and the sender would have a receipt.
    const silent = storage.inbox.send(ref, PROMPT, {
      wake: async (_, query) => void (await query?.('SELEKT').catch(() => {})),
    });
    await expect(silent).rejects.toMatchObject({ code: 'WAKE_FAILED', message: /transaction is aborted/ });
    expect(await jobs()).toEqual([{ session: 'woken' }]);
    expect((await storage.sessions.get(ref))?.inbox).toBe(1);
  });

  it.each([
    ['by listening, without a look at the tables', 4, [LIMITS.hostPollMs, LIMITS.hostSafetyPollMs]],
    ['by looking, where the pool has no connection to spare', 1, []],
  ] as const)('another program is told of changes %s', async (_, max, held) => {
    const timers = held.map((milliseconds) => holdTimers(milliseconds));
    const own = new pg.Pool({ connectionString: server.connectionString, max });
    const reader = postgresStorage({ pool: own });
    try {
      const ref = { ...REF, session: `told ${max}` };
      await storage.inbox.send(ref, PROMPT);
      let calls = 0;
      reader.watch({ kind: 'inbox', ...ref }, () => {
        calls += 1;
      });
      // Once for what it may have missed, when it begins to listen or to look.
      await expect.poll(() => calls).toBeGreaterThan(0);
      for (let round = 0; round < 3; round += 1) {
        const before = calls;
        await storage.inbox.send(ref, PROMPT);
        await expect.poll(() => calls).toBeGreaterThan(before);
      }
    } finally {
      for (const timer of timers.reverse()) timer[Symbol.dispose]();
      await reader.close();
      await own.end();
    }
  });

  it('a program is told once of what it has changed itself', async () => {
    using _poll = holdTimers(LIMITS.hostPollMs);
    using _look = holdTimers(LIMITS.hostSafetyPollMs);
    const ref = { ...REF, session: 'told once' };
    const [own, other] = [1, 2].map(() => postgresStorage({ connectionString: server.connectionString }));
    if (own === undefined || other === undefined) return;
    const calls = { own: 0, other: 0 };
    own.watch({ kind: 'inbox', ...ref }, () => {
      calls.own += 1;
    });
    own.watch({ kind: 'inbox', ...REF }, () => {
      calls.other += 1;
    });
    await expect.poll(() => calls).toEqual({ own: 1, other: 1 });
    await own.inbox.send(ref, PROMPT);
    expect(calls.own).toBe(2);
    // Words arrive in order: when that of the other is there, its own would be, too.
    await other.inbox.send(REF, PROMPT);
    await expect.poll(() => calls.other).toBe(2);
    expect(calls.own).toBe(2);
    await Promise.all([own.close(), other.close()]);
  });

  it('a connection that does not answer is given up after a while, and the next call takes another', async () => {
    using timers = holdTimers(LIMITS.storeCallMs);
    const lease = await leased();
    const blocker = await admin.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM tenon.sessions WHERE session = $1 FOR UPDATE', [REF.session]);
    const append = storage.commit(lease, { events: ['late'] });
    const failed = expect(append).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      isTransient: true,
      message: /60 s/,
    });
    // When the statement is on its way, and not only the connection to it.
    await waiting(1);
    timers.expire();
    await failed;
    await blocker.query('ROLLBACK');
    blocker.release();
    await storage.commit(lease, { release: { state: 'idle' } });
  });

  it('an answer that has the row when a worker wants to wait for it is seen, though it is stored only afterwards (R62)', async () => {
    const ref = { ...REF, session: 'answered meanwhile' };
    await storage.inbox.send(ref, PROMPT);
    const { lease } = await storage.leases.acquire(ref, { owner: 'test', ttlMs: 600_000 });
    const { id } = await storage.approvals.ask(lease as Lease, 'toolu_1', {});
    const blocker = await admin.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM tenon.approvals WHERE id = $1 FOR UPDATE', [id]);
    const answer = storage.approvals.answer(id, 'yes');
    await waiting(1);
    const commit = storage.commit(lease as Lease, { acknowledge: [1], release: { state: 'waiting' } });
    await waiting(2);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await answer).toBe('taken');
    expect((await commit).state).toBe('queued');
    expect(await storage.sessions.get(ref)).toMatchObject({ state: 'queued', inbox: 1 });
  });

  it('a prompt that has the row when a worker lets go is seen, though it is stored only afterwards (R61)', async () => {
    const ref = { ...REF, session: 'sent meanwhile' };
    await storage.inbox.send(ref, PROMPT);
    const { lease } = await storage.leases.acquire(ref, { owner: 'test', ttlMs: 600_000 });
    const blocker = await admin.connect();
    await blocker.query('BEGIN');
    // Senders take turns when the queue is nearly full, after they have the row.
    await blocker.query(`SELECT pg_advisory_xact_lock(hashtextextended('tenon queue "tenon"', 0))`);
    const send = storage.inbox.send(ref, PROMPT, { limits: { tenant: LIMITS.hostQueueMargin } });
    await waiting(1);
    const commit = storage.commit(lease as Lease, { acknowledge: [1], release: { state: 'idle' } });
    await waiting(2);
    await blocker.query('ROLLBACK');
    blocker.release();
    await send;
    expect((await commit).state).toBe('queued');
    expect(await storage.sessions.get(ref)).toMatchObject({ state: 'queued', inbox: 1 });
  });

  it('nobody takes a conversation over while its holder, though late, is writing (R61)', async () => {
    const ref = { ...REF, session: 'late' };
    const key = { projectKey: 'p', sessionId: 's' };
    await storage.inbox.send(ref, PROMPT);
    const { lease } = await storage.leases.acquire(ref, { owner: 'late', ttlMs: 1 });
    await expect.poll(async () => (await storage.sessions.get(ref))?.state).toBe('queued');
    const blocker = await admin.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE tenon.transcript_entries IN EXCLUSIVE MODE');
    const append = storage.transcript(lease as Lease).append(key, [{ type: 'user' }]);
    await waiting(1);
    const options = { owner: 'next', ttlMs: 60_000 };
    const meanwhile = await storage.leases.acquire(ref, options);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(meanwhile).toMatchObject({ refused: 'held' });
    await append;
    const next = await storage.leases.acquire(ref, options);
    expect(next.lease?.previous).toBe(lease?.fence);
    expect(await storage.transcript(ref).load(key)).toEqual([{ type: 'user' }]);
  });

  it('two programs that are in the way of each other are told that it may work again; a wrong statement is not', async () => {
    const refused = postgresStorage({ connectionString: 'postgres://postgres@127.0.0.1:1/postgres' });
    await expect(refused.open()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      isTransient: true,
      message: /ECONNREFUSED/,
    });
    await refused.close();
    const nobody = postgresStorage({
      connectionString: server.connectionString.replace('postgres@', 'nobody@'),
    });
    const failure = { code: 'STORAGE_FAILED', isTransient: false, message: /role "nobody" does not exist/ };
    await expect(nobody.open()).rejects.toMatchObject(failure);
    await nobody.close();
  });

  it('tables are made once and found the next time, also by a role that may make none; those of a newer release are refused', async () => {
    const again = new WatchedPool({ connectionString: server.connectionString });
    const second = postgresStorage({ pool: again });
    await second.open();
    expect(again.statements.filter((text) => text.includes('CREATE'))).toEqual([]);
    await second.close();
    await admin.query('CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA tenon TO reader');
    await admin.query('GRANT ALL ON ALL TABLES IN SCHEMA tenon TO reader');
    const reader = postgresStorage({
      connectionString: server.connectionString.replace('postgres@', 'reader@'),
    });
    expect(await reader.sessions.get({ ...REF, session: 'nothing' })).toBeUndefined();
    await reader.close();
    await admin.query('INSERT INTO tenon.migrations (version) VALUES (99)');
    const older = postgresStorage({ pool: again });
    await expect(older.open()).rejects.toThrow(
      /has version 99.*knows versions up to 1.*Install that release/s,
    );
    await admin.query('DELETE FROM tenon.migrations WHERE version = 99');
    // What was refused is tried again with the next call.
    expect(await older.sessions.counts('nobody')).toMatchObject({ idle: 0 });
    await older.close();
    await again.end();
  });

  it('a step that fails leaves the version before it, and a later release goes on from there', async () => {
    const database = onPool(pool);
    const broken = [...MIGRATIONS, () => 'CREATE TABLE "stepwise".extra (a int); SELEKT'];
    await migrate(database, '"stepwise"');
    await expect(migrate(database, '"stepwise"', broken)).rejects.toThrow(/syntax error/);
    const whole = [...MIGRATIONS, () => 'CREATE TABLE "stepwise".extra (a int)'];
    await migrate(database, '"stepwise"', whole);
    await migrate(database, '"stepwise"', whole);
    const { rows } = await admin.query('SELECT version FROM stepwise.migrations ORDER BY version');
    expect(rows).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it('10,000 conversations of one tenant are queued, and the one of another begins with the next claim (acceptance 13)', async () => {
    const many = postgresStorage({ pool, schema: 'many' });
    await many.open();
    await admin.query(
      `INSERT INTO many.sessions (tenant, session, state, prompts)
       SELECT 'a', 'a' || n, 'queued', 1 FROM generate_series(1, 10000) n`,
    );
    await many.inbox.send({ tenant: 'b', session: 'b' }, PROMPT);
    const claimed = await many.leases.claim({
      owner: 'test',
      ttlMs: 60_000,
      count: 2,
      running: 200,
      perTenant: 20,
    });
    expect(claimed.map(({ tenant }) => tenant).sort()).toEqual(['a', 'b']);
    await many.close();
  });

  it('more tenants than one claim looks at all have their turn', async () => {
    const many = postgresStorage({ pool, schema: 'tenants' });
    await many.open();
    const count = LIMITS.hostTenantsAtOnce * 2 + 7;
    await admin.query(
      `INSERT INTO tenants.sessions (tenant, session, state, prompts)
       SELECT 't' || n, s, 'queued', 1 FROM generate_series(1, $1::int) n, unnest(ARRAY['x', 'y']) s`,
      [count],
    );
    const first = [];
    for (let round = 0; round < 3; round += 1) {
      first.push(
        ...(await many.leases.claim({
          owner: 'test',
          ttlMs: 60_000,
          count: LIMITS.hostTenantsAtOnce,
          perTenant: 1,
        })),
      );
    }
    expect(new Set(first.map(({ tenant }) => tenant)).size).toBe(count);
    expect(first.length).toBe(count);
    await many.close();
  });
});

describe('options that cannot work', () => {
  it.each([
    [{ directory: 'a', connectionString: 'b' }, /`connectionString` and `directory`/],
    [{ schema: 'Robert"; DROP TABLE students' }, /`schema` must be/],
    [{ schema: '' }, /`schema` must be/],
  ])('%j are refused before anything is opened', (options, message) => {
    expect(() => postgresStorage(options)).toThrow(message);
  });
});

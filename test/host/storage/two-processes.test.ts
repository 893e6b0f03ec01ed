/** What several programs do to one PostgreSQL at the same time, and what is left when they or the server are killed (R60, R61). */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostStorage, Lease, SessionRef, StoredEvent } from '../../../src/host/index.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { binaries, type PostgresServer, startPostgres } from './support/postgres-server.js';
import { startWorker, type Worker } from './support/worker.js';

const REF: SessionRef = { tenant: 'acme', session: 'shared' };
const SENDERS = ['a', 'b', 'c', 'd'];
const TTL_MS = 500;

describe.skipIf(binaries === undefined)('on one PostgreSQL server', () => {
  let server: PostgresServer;
  let storage: HostStorage;
  let schema: string;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: true });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    schemas += 1;
    schema = `test_${schemas}`;
    storage = postgresStorage({ connectionString: server.connectionString, schema });
    await storage.open();
    return () => storage.close();
  });
  const start = (name: string, options?: { aheadMs?: number }): Worker =>
    startWorker({ connectionString: server.connectionString, schema }, name, options);

  async function allEvents(): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (;;) {
      const page = await storage.events.read(REF, { after: events.length });
      events.push(...page.events);
      if (events.length >= page.last) return events;
    }
  }

  /** Until all that was sent is dealt with: none lost, none twice, the order of each sender kept, numbers without a gap. */
  async function checkAll(each: number): Promise<StoredEvent[]> {
    await expect.poll(async () => (await storage.sessions.get(REF))?.state).toBe('idle');
    const events = await allEvents();
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    const done = events.flatMap(({ message }) => (message as { body?: [string, number] }).body ?? []);
    const pairs = Array.from({ length: done.length / 2 }, (_, index) => done.slice(2 * index, 2 * index + 2));
    for (const sender of SENDERS) {
      const own = pairs.filter(([from]) => from === sender).map(([, index]) => index);
      expect(own).toEqual(Array.from({ length: each }, (_, index) => index));
    }
    return events;
  }

  it('1,000 prompts from four senders in two processes, two workers: no overlap, none lost, the order of each sender kept (acceptance 8)', async () => {
    await using first = start('first');
    await using second = start('second');
    for (const worker of [first, second]) worker.run('work', 60_000);
    await Promise.all(
      SENDERS.map((sender, index) => (index % 2 === 0 ? first : second).run('flood', REF, sender, 250)),
    );
    const events = await checkAll(250);
    expect(events.length).toBe(2_000);
    for (let index = 0; index < events.length; index += 2) {
      const [begun, ended] = [events[index], events[index + 1]].map(
        (event) => event?.message as Record<string, string>,
      );
      expect(begun?.begin).toBe(ended?.end);
      expect(begun?.by).toBe(ended?.by);
    }
  });

  it('a worker killed with -9 in the middle of its writes is taken over: nothing lost, nothing twice (acceptance 1)', async () => {
    await using sender = start('sender');
    await using survivor = start('survivor');
    const flood = Promise.all(SENDERS.map((name) => sender.run('flood', REF, name, 50)));
    for (let round = 1; round <= 3; round += 1) {
      await using victim = start(`victim ${round}`);
      victim.run('work', TTL_MS);
      await expect.poll(async () => (await storage.sessions.get(REF))?.owner).toBe(`victim ${round}`);
      const { last } = await storage.events.read(REF);
      await expect.poll(async () => (await storage.events.read(REF)).last).toBeGreaterThan(last + 5);
    }
    await flood;
    survivor.run('work', TTL_MS);
    await checkAll(50);
  });

  it('a server that is ended at once, twice, in the middle of writes: what was acknowledged is there, and who listened hears again (acceptance 3)', async () => {
    let heard = 0;
    storage.watch({ kind: 'events', ...REF }, () => {
      heard += 1;
    });
    await using sender = start('sender');
    await using worker = start('worker');
    worker.run('work', 1_000);
    const flood = Promise.all(SENDERS.map((name) => sender.run('flood', REF, name, 50)));
    for (const count of [50, 110]) {
      await expect.poll(() => sender.said.length).toBeGreaterThan(count);
      await server.crash();
    }
    await flood;
    await checkAll(50);
    expect(sender.said.length).toBe(200);
    const before = heard;
    await worker.run('flood', REF, 'e', 1);
    await expect.poll(() => heard).toBeGreaterThan(before);
  });

  it('two answers at the same time from two processes: one is taken, and one wakes (acceptance 5)', async () => {
    await using first = start('first');
    await using second = start('second');
    await Promise.all([first.run('open'), second.run('open')]);
    await storage.inbox.send(REF, { kind: 'prompt', body: 'go' });
    const { lease } = await storage.leases.acquire(REF, { owner: 'test', ttlMs: 60_000 });
    for (let round = 0; round < 20; round += 1) {
      const { id } = await storage.approvals.ask(lease as Lease, `toolu_${round}`, {});
      const outcomes = await Promise.all(
        [first, second].map((worker, index) => worker.call('approvals', 'answer', id, index)),
      );
      expect(outcomes.toSorted()).toEqual(['already', 'taken']);
    }
    const answers = (await storage.inbox.read(lease as Lease)).filter(({ kind }) => kind === 'answer');
    expect(answers.length).toBe(20);
  });

  it('a holder that is stopped, taken over and continued has its writes refused (acceptance 7)', async () => {
    await using holder = start('holder');
    await storage.inbox.send(REF, { kind: 'prompt', body: 'go' });
    const { lease } = await holder.call('leases', 'acquire', REF, { owner: 'holder', ttlMs: TTL_MS });
    await holder.run('commit', lease, { events: ['before'] });
    holder.process.kill('SIGSTOP');
    const late = holder.run('commit', lease, { events: ['late'] });
    const taken = async (): Promise<Lease | undefined> =>
      (await storage.leases.acquire(REF, { owner: 'next', ttlMs: 60_000 })).lease;
    let next: Lease | undefined;
    await expect
      .poll(async () => {
        next = await taken();
        return next;
      })
      .toBeDefined();
    await storage.commit(next as Lease, { events: ['of the next'] });
    holder.process.kill('SIGCONT');
    await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await holder.call('leases', 'renew', [lease], { ttlMs: TTL_MS })).toEqual([lease]);
    expect((await allEvents()).map(({ message }) => message)).toEqual(['before', 'of the next']);
  });

  it("a worker whose clock is an hour ahead takes nothing over: only the database's clock counts (acceptance 11)", async () => {
    await using ahead = start('ahead', { aheadMs: 3_600_000 });
    await storage.inbox.send(REF, { kind: 'prompt', body: 'go' });
    const { lease } = await storage.leases.acquire(REF, { owner: 'test', ttlMs: 60_000 });
    const options = { owner: 'ahead', ttlMs: 60_000 };
    expect(await ahead.call('leases', 'acquire', REF, options)).toMatchObject({ refused: 'held' });
    expect(await ahead.call('leases', 'claim', { ...options, count: 5 })).toEqual([]);
    await storage.commit(lease as Lease, { release: { state: 'queued' } });
    expect(await ahead.call('leases', 'acquire', REF, options)).toMatchObject({ lease: { owner: 'ahead' } });
    const held = await storage.leases.acquire(REF, { owner: 'test', ttlMs: 60_000 });
    expect(held).toMatchObject({ refused: 'held' });
    expect('forMs' in held && held.forMs).toBeLessThanOrEqual(60_000);
  });

  it('programs that start at the same time make the tables once (R60)', async () => {
    schema = 'started_at_once';
    const workers = Array.from({ length: 5 }, (_, index) => start(`${index}`));
    try {
      await Promise.all(workers.map((worker) => worker.run('open')));
      await Promise.all(workers.map((worker, index) => worker.run('flood', REF, `${index}`, 3)));
      const client = new pg.Client({ connectionString: server.connectionString });
      await client.connect();
      const { rows } = await client.query(
        'SELECT (SELECT count(*) FROM started_at_once.inbox)::int AS entries, version FROM started_at_once.migrations',
      );
      await client.end();
      expect(rows).toEqual([{ entries: 15, version: 1 }]);
    } finally {
      for (const worker of workers) await worker[Symbol.asyncDispose]();
    }
  });
});

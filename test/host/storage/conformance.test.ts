/** Every storage of a host keeps to the same contract (R60), and one that does not is found out. */
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostStorage, type Lease, type LeaseStorage, memoryStorage } from '../../../src/host/index.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { hostStorageConformance } from '../../../src/testing/index.js';
import { binaries, type PostgresServer, startPostgres } from './support/postgres-server.js';

/** Emptied for each case, which is as good as a database of its own and saves the making of the tables. */
async function emptied(
  query: (text: string) => Promise<unknown>,
  storage: HostStorage,
): Promise<HostStorage> {
  await storage.open();
  const tables = ['sessions', 'inbox', 'journal', 'events', 'approvals', 'transcripts', 'transcript_entries'];
  await query(`TRUNCATE ${tables.map((name) => `tenon.${name}`).join(', ')}`);
  return storage;
}

describe('the storage in memory', () => {
  for (const { name, run } of hostStorageConformance(memoryStorage)) it(name, run);
});

describe('the storage in PGlite', () => {
  let client: PGlite;
  beforeAll(async () => {
    client = await PGlite.create();
  });
  afterAll(() => client.close());
  const make = () => emptied((text) => client.query(text), postgresStorage({ client }));
  for (const { name, run } of hostStorageConformance(make)) it(name, run);
});

describe.skipIf(binaries === undefined)('the storage on a PostgreSQL server', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.connectionString, max: 8 });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  const make = () => emptied((text) => pool.query(text), postgresStorage({ pool }));
  for (const { name, run } of hostStorageConformance(make)) it(name, run);
});

describe('a storage that', () => {
  const FAULTS: [fault: string, make: (good: HostStorage) => Partial<HostStorage>, found: RegExp][] = [
    ['does all that is asked', () => ({}), /^$/],
    [
      'does not look at the fence',
      (good) => {
        let newest: Lease | undefined;
        const acquire: LeaseStorage['acquire'] = async (...args) => {
          const acquired = await good.leases.acquire(...args);
          newest = acquired.lease ?? newest;
          return acquired;
        };
        return {
          leases: { ...good.leases, acquire },
          commit: (lease, commit) => good.commit(newest ?? lease, commit),
        };
      },
      /after a takeover every write/,
    ],
    [
      'forgets at a release what has arrived meanwhile',
      (good) => ({
        commit: async (lease, { release, ...rest }) => {
          if (release === undefined) return good.commit(lease, rest);
          const entries = await good.inbox.read(lease);
          const acknowledge = entries.map(({ number }) => number);
          return good.commit(lease, { ...rest, acknowledge, release });
        },
      }),
      /answer that arrives while a worker lets go/,
    ],
    [
      'stores one part of a commit after the other',
      (good) => ({
        commit: async (lease, { release, ...rest }) => {
          const committed = await good.commit(lease, rest);
          return release === undefined ? committed : good.commit(lease, { release });
        },
      }),
      /all of it or nothing/,
    ],
    [
      'takes every answer',
      (good) => ({
        approvals: {
          ...good.approvals,
          answer: async (...args) => {
            const outcome = await good.approvals.answer(...args);
            return outcome === 'already' ? 'taken' : outcome;
          },
        },
      }),
      /one is taken/,
    ],
    [
      'forgets idempotency keys',
      (good) => ({
        inbox: {
          ...good.inbox,
          send: (ref, message, { idempotencyKey: _, ...options } = {}) =>
            good.inbox.send(ref, message, options),
        },
      }),
      /same idempotency key twice/,
    ],
  ];
  it.each(FAULTS)('%s', async (_, fault, found) => {
    const make = (): HostStorage => {
      const good = memoryStorage();
      return { ...good, ...fault(good) };
    };
    const failed: string[] = [];
    const cases = hostStorageConformance(make).filter(({ name }) => !name.startsWith('transcript'));
    await Promise.all(cases.map(({ name, run }) => run().catch(() => failed.push(name))));
    expect(failed.join('\n')).toMatch(found);
  });
});

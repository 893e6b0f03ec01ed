import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres } from '../shared/programs.mjs';
import { backends, callTools, play } from '../shared/testing.js';
import { type Database, openDatabase } from './database.mjs';
import { exampleWith } from './example.mjs';
import { HOSTILE } from './hostile.js';
import { type PostgresServer, startPostgres } from './postgres.js';

const binaries = findPostgres();
const query = (sql: unknown) => ({ name: 'mcp__database__query', input: { sql } });

const BAD: readonly (readonly [sql: unknown, reason: RegExp])[] = [
  [7, /sql/],
  ['', /sql/],
  ['SELEKT 1', /syntax error.*SQLSTATE 42601.*At character 1 of the statement/s],
  ['SELECT nam FROM customers', /column "nam" does not exist.*At character 8 of the statement/s],
  ['SELECT 1 / 0', /division by zero/],
];

/** Everything that there is, in one number: the rows, the tables, the functions, the sequences, the large objects. */
async function fingerprint(database: Database): Promise<string> {
  const parts: unknown[] = [];
  for (const sql of [
    'SELECT md5(string_agg(t::text, $$|$$ ORDER BY t::text)) FROM customers t',
    'SELECT md5(string_agg(t::text, $$|$$ ORDER BY t::text)) FROM products t',
    'SELECT md5(string_agg(t::text, $$|$$ ORDER BY t::text)) FROM orders t',
    'SELECT count(*) FROM pg_class',
    'SELECT count(*) FROM pg_proc',
    'SELECT count(*) FROM pg_largeobject_metadata',
    'SELECT last_value FROM pg_sequences',
  ]) {
    parts.push((await database.ask(sql)).rows);
  }
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The tests share one database, which must outlive each run. */
const shared = (database: () => Database) =>
  exampleWith(async () => ({ ...database(), close: async () => {} }));

function suite(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database?.close());
  const example = shared(() => database);

  describe.each(backends)('with the agent on %s', (backend) => {
    it('answers the question and is kept from writing, in words that reach the model (R39)', async () => {
      const before = await fingerprint(database);
      const { calls, answer } = await play(example, backend);
      expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
        ['schema', false],
        ['query', false],
        ['query', true],
        ['query', true],
        ['query', false],
      ]);
      expect(calls[0]?.text).toContain('public.orders\tid integer, customer_id integer');
      expect(calls[1]?.text).toBe(calls[4]?.text);
      expect(calls[2]?.text).toContain('must not contain data-modifying statements in WITH');
      expect(calls[3]?.text).toContain('cannot execute UPDATE in a read-only transaction (SQLSTATE 25006)');
      expect(answer).toContain('Ahornblatt GmbH');
      expect(await fingerprint(database)).toBe(before);
    });

    it('is told what is wrong with bad input, and refused every hostile statement by the database itself (R39)', async () => {
      const before = await fingerprint(database);
      const outcomes = await callTools(
        example,
        backend,
        [...BAD, ...HOSTILE].map(([sql]) => query(sql)),
      );
      for (const [index, [sql, reason]] of [...BAD, ...HOSTILE].entries()) {
        expect(outcomes[index], String(sql)).toMatchObject({
          isError: true,
          text: expect.stringMatching(reason),
        });
      }
      expect(await fingerprint(database)).toBe(before);
    });
  });

  it('undoes what a SELECT can do without writing a row', async () => {
    const before = await fingerprint(database);
    for (const sql of [
      'SELECT lo_create(0)',
      "SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'nowhere', false)",
      'SELECT pg_advisory_lock(42)',
      "SELECT pg_notify('orders', 'gone')",
    ]) {
      // PostgreSQL 16 and later refuse some of these.
      await database.ask(sql).catch(() => {});
    }
    const { rows } = await database.ask(
      "SELECT current_setting('search_path') AS path, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks",
    );
    expect(rows).toMatchObject([{ path: expect.stringContaining('public') }]);
    expect(Number(rows[0]?.locks)).toBe(0);
    expect(await fingerprint(database)).toBe(before);
  });

  it('computes no more rows than it shows, and says that there are more', async () => {
    const { rows, isCut } = await database.ask('SELECT a.id FROM orders a, orders b, orders c, orders d');
    expect({ count: rows.length, isCut }).toEqual({ count: 50, isCut: true });
    const few = await database.ask('VALUES (1), (2)');
    expect({ count: few.rows.length, isCut: few.isCut }).toEqual({ count: 2, isCut: false });
  });

  it('ends what takes too long, though it asks for more time, and goes on', async () => {
    const patient = "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)";
    await expect(database.ask(patient, { timeoutMs: 500 })).rejects.toThrow('statement timeout');
    expect((await database.ask('SELECT count(*) AS n FROM customers')).rows).toHaveLength(1);
  });

  it('answers several questions at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => database.ask(`SELECT ${n} AS n`)));
    expect(answers.map(({ rows }) => Number(rows[0]?.n))).toEqual([1, 2, 3, 4, 5, 6]);
  });
}

describe('the embedded PostgreSQL', () => {
  suite(() => openDatabase(undefined));
});

describe.skipIf(binaries === undefined)(
  `a PostgreSQL server${binaries === undefined ? ' (not installed here: Debian package postgresql)' : ''}`,
  () => {
    let server: PostgresServer;

    beforeAll(async () => {
      server = await startPostgres(binaries ?? '');
      const owner = new pg.Client(server.url('superuser'));
      await owner.connect();
      await owner.query(
        `CREATE ROLE owner LOGIN; GRANT ALL ON SCHEMA public TO owner; CREATE ROLE reader LOGIN;`,
      );
      await owner.query(
        `SET ROLE owner; ${readFileSync(new URL('seed.sql', import.meta.url), 'utf8')}; RESET ROLE;`,
      );
      await owner.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
      await owner.end();
    });
    afterAll(() => server?.stop());

    // The owner of the tables may write: it is the transaction that keeps the agent from it, not a missing privilege.
    suite(() => openDatabase(server.url('owner')));

    it('is also asked as a role that may only read', async () => {
      const database = await openDatabase(server.url('reader'));
      expect((await database.ask('SELECT count(*) AS n FROM orders')).rows).toEqual([{ n: '120' }]);
      for (const [sql, reason] of HOSTILE) await expect(database.ask(sql), sql).rejects.toThrow(reason);
      await database.close();
    });

    it('is not asked as a superuser, whom nothing would keep from its files', async () => {
      await expect(openDatabase(server.url('superuser'))).rejects.toThrow(
        /logs in as the superuser "superuser".*CREATE ROLE reader/,
      );
    });

    it('may go away: the error says so, and the program lives on', async () => {
      await expect(openDatabase('postgres://nobody@127.0.0.1:1/nothing')).rejects.toThrow('ECONNREFUSED');
    });
  },
);

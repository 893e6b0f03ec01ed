/** What the tests of faults stand on: a PostgreSQL server, and programs on it. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { HostEvent, HostStorage, SessionRef, SessionState } from '../../../../src/host/index.js';
import { postgresStorage } from '../../../../src/host/storage/postgres/index.js';
import { type PostgresServer, startPostgres } from '../../storage/support/postgres-server.js';
import type { Turn } from './fold.js';
import { type Effect, effectsIn, eventsIn, settledIn } from './look.js';
import { type Program, type ProgramOptions, startProgram } from './program.js';

export interface Ground {
  readonly server: PostgresServer;
  /** What is stored, as anybody can read it. */
  readonly storage: HostStorage;
  /** Where it is stored: another one for every test. */
  readonly schema: string;
  /** A folder of this test file. */
  readonly folder: string;
  /** Starts a program on the schema of this test. */
  start(options?: Partial<ProgramOptions>): Promise<Program>;
  effects(): Effect[];
  events(ref: SessionRef): Promise<HostEvent[]>;
  settled(ref: SessionRef, state?: SessionState): Promise<Turn[]>;
}

/** How long a lease lasts: a program that was killed is replaced after it. */
const TTL_MS = 1_000;

/** Call it inside of `describe`. Every test has a schema and a file of effects of its own. */
export function ground({ isDurable = false } = {}): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const programs: Program[] = [];
  let server: PostgresServer;
  let storage: HostStorage;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres({ isDurable });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    count += 1;
    storage = postgresStorage({ connectionString: server.connectionString, schema: schema() });
    await storage.open();
    return async () => {
      await Promise.all(programs.splice(0).map((program) => program[Symbol.asyncDispose]()));
      await storage.close();
    };
  });
  const schema = (): string => `test_${count}`;
  const effectsFile = (): string => join(folder, `effects-${count}.jsonl`);
  return {
    folder,
    get server() {
      return server;
    },
    get storage() {
      return storage;
    },
    get schema() {
      return schema();
    },
    start: async ({ host, ...options } = {}) => {
      const program = await startProgram({
        place: { connectionString: server.connectionString, schema: schema() },
        effectsFile: effectsFile(),
        host: { lease: { ttlMs: TTL_MS }, approvals: { holdMs: 20 }, ...host },
        ...options,
      });
      programs.push(program);
      return program;
    },
    effects: () => effectsIn(effectsFile()),
    events: (ref) => eventsIn(storage, ref),
    settled: (ref, state) => settledIn(storage, ref, state),
  };
}

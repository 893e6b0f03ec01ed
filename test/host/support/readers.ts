/** What tests of streams need: a storage that counts, a model that speaks when it is told to, and readers of all kinds. */
import { setImmediate as nextTick } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import {
  createHost,
  type Host,
  type HostEvent,
  type HostOptions,
  type HostStorage,
  memoryStorage,
  type SessionRef,
} from '../../../src/host/index.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { embedded, type Model } from '../../../src/runtime/index.js';
import { binaries, type PostgresServer, startPostgres } from '../storage/support/postgres-server.js';

export interface Counted {
  readonly storage: HostStorage;
  /** How often events were read. */
  readonly reads: number;
  /** How often something was stored for readers. */
  readonly batches: number;
  /** How many watch events or questions now. */
  readonly watchers: number;
}

export function counted(given: HostStorage = memoryStorage()): Counted {
  const counts = { reads: 0, batches: 0, watchers: 0 };
  const storage: HostStorage = {
    ...given,
    events: {
      read: (...args) => {
        counts.reads += 1;
        return given.events.read(...args);
      },
    },
    commit: (lease, commit) => {
      if ((commit.events ?? []).length > 0) counts.batches += 1;
      return given.commit(lease, commit);
    },
    watch: (topic, onChange) => {
      const unwatch = given.watch(topic, onChange);
      if (topic.kind !== 'events' && topic.kind !== 'approvals') return unwatch;
      counts.watchers += 1;
      return () => {
        counts.watchers -= 1;
        unwatch();
      };
    },
  };
  return Object.defineProperties({ storage } as Counted, {
    reads: { get: () => counts.reads },
    batches: { get: () => counts.batches },
    watchers: { get: () => counts.watchers },
  });
}

/** A model whose answers are what `speak` yields, piece by piece. */
export function speaking(speak: (prompt: string, signal: AbortSignal) => AsyncIterable<string>): Model {
  let count = 0;
  return {
    name: 'speaking',
    async *stream({ messages }, { signal }) {
      count += 1;
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model: 'speaking' };
      yield {
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
      } as never;
      yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never;
      for await (const text of speak(promptOf(messages.at(-1)?.content), signal)) {
        signal.throwIfAborted();
        yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never;
      }
      yield { type: 'content_block_stop', index: 0 } as never;
      yield {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage,
      } as never;
      yield { type: 'message_stop' } as never;
    },
  };
}

function promptOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = Array.isArray(content) ? content.map((block) => (block as { text?: string }).text ?? '') : [];
  return texts.join('');
}

/** As many pieces as the prompt says, some of them after a moment. */
export async function* pieces(prompt: string): AsyncGenerator<string> {
  for (let index = 0; index < Number(prompt); index += 1) {
    if (index % 3 === 0) await nextTick();
    yield `${index} `;
  }
}

/** Problems fail the test. */
export function hostOf(model: Model, options: Partial<HostOptions> = {}): Host {
  return createHost({
    options: { runtime: embedded({ model }), cwd: '/work' },
    onProblem: ({ during, error }) => {
      throw new Error(`a problem with ${during}`, { cause: error });
    },
    ...options,
  });
}

/** Resolves with the first events of a conversation, up to the one with this id. */
export async function upTo(host: Host, ref: SessionRef, last: number, after = 0): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  if (after >= last) return events;
  for await (const event of host.events(ref, { after })) {
    events.push(event);
    if (event.id >= last) break;
  }
  return events;
}

/** All that is stored of a conversation. */
export async function storedEvents(storage: HostStorage, ref: SessionRef): Promise<HostEvent[]> {
  const { events } = await storage.events.read(ref, { limit: 10_000 });
  return events as HostEvent[];
}

/** A new storage on a PostgreSQL server that lasts as long as the tests of this block. Call it in a `describe`. */
export function onPostgres(): () => HostStorage {
  let server: PostgresServer;
  let pool: pg.Pool;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.connectionString, max: 12 });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  return () => {
    count += 1;
    return postgresStorage({ pool, schema: `streams_${count}` });
  };
}

export const hasPostgres = binaries !== undefined;

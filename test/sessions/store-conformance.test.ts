/** The stores of the package keep to what is asked of every store, and a store that does not is found out (pain 29). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fileSessionStore,
  InMemorySessionStore,
  type SessionStore,
  type SessionStoreEntry,
} from '../../src/index.js';
import { type MakeSessionStore, sessionStoreConformance } from '../../src/testing/index.js';
import { officialFunctions } from './support.js';

const official = await officialFunctions();

const STORES: [name: string, make: MakeSessionStore][] = [
  ['memory', () => new InMemorySessionStore()],
  ['the memory of the official SDK', () => new official.InMemorySessionStore()],
  [
    'files',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tenon-store-'));
      return { store: fileSessionStore(folder), dispose: () => rm(folder, { recursive: true, force: true }) };
    },
  ],
];

/** What the store of the official SDK does not do; nobody has promised that it does. */
const NOT_OFFICIAL = /later changes to the caller's objects|kept apart|with `after`/;

describe.each(STORES)('a store in %s', (name, make) => {
  for (const { name: what, run } of sessionStoreConformance(make)) {
    it.skipIf(name.includes('official') && NOT_OFFICIAL.test(what))(what, run);
  }
});

describe('a store that', () => {
  const bare = (store: InMemorySessionStore): SessionStore => ({
    append: (key, entries, options) => store.append(key, entries, options),
    load: (key) => store.load(key),
  });
  const FAULTS: [fault: string, make: () => SessionStore, found: RegExp][] = [
    ['has only what it needs', () => bare(new InMemorySessionStore()), /^$/],
    [
      'gives an empty list for nothing',
      () => ({ ...bare(new InMemorySessionStore()), load: async () => [] }),
      /never written is null/,
    ],
    [
      'appends to whatever there is',
      () => {
        const store = new InMemorySessionStore();
        return { ...bare(store), append: (key, entries) => store.append(key, entries) };
      },
      /with `after`, entries that do not follow/,
    ],
    [
      'mixes up subagents',
      () => {
        const store = new InMemorySessionStore();
        const main = ({ projectKey, sessionId }: { projectKey: string; sessionId: string }) => ({
          projectKey,
          sessionId,
        });
        return {
          append: (key, entries) => store.append(main(key), entries),
          load: (key) => store.load(main(key)),
        };
      },
      /kept apart/,
    ],
    [
      'keeps the objects of the caller',
      () => {
        const kept = new Map<string, SessionStoreEntry[]>();
        return {
          append: async (key, entries) => {
            kept.set(JSON.stringify(key), [...(kept.get(JSON.stringify(key)) ?? []), ...entries]);
          },
          load: async (key) => kept.get(JSON.stringify(key)) ?? null,
        };
      },
      /have no effect/,
    ],
    [
      'has times with fractions',
      () => ({
        ...bare(new InMemorySessionStore()),
        listSessions: async () => [{ sessionId: 'x', mtime: 1.5 }],
      }),
      /listSessions/,
    ],
  ];
  it.each(FAULTS)('%s', async (_, make, found) => {
    const failed: string[] = [];
    for (const { name, run } of sessionStoreConformance(make)) await run().catch(() => failed.push(name));
    expect(failed.join('\n')).toMatch(found);
  });
});

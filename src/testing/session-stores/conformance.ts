import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { foldSessionSummary } from '../../sessions/summary.js';

/** One requirement for a store. `run` rejects with the reason if the store does not meet it. */
export interface SessionStoreCase {
  name: string;
  run(): Promise<void>;
}

/** Creates a new, empty store for each case; `dispose` cleans up after it. */
export type MakeSessionStore = () =>
  | SessionStore
  | { store: SessionStore; dispose?: () => void | Promise<void> }
  | Promise<SessionStore | { store: SessionStore; dispose?: () => void | Promise<void> }>;

/**
 * The requirements for every session store, for any test runner:
 * `for (const { name, run } of sessionStoreConformance(makeStore)) it(name, run);`
 * Optional methods that a store does not have are not tested.
 */
export function sessionStoreConformance(make: MakeSessionStore): SessionStoreCase[] {
  return CASES.map(([name, check]) => ({
    name,
    run: async () => {
      const made = await make();
      const { store, dispose } = 'append' in made ? { store: made, dispose: undefined } : made;
      try {
        await check(store);
      } finally {
        await dispose?.();
      }
    },
  }));
}

const SESSION = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const key = { projectKey: '-work-project', sessionId: SESSION };
const agent = { ...key, subpath: 'subagents/agent-a1' };

const user = (words: string): SessionStoreEntry => ({
  type: 'user',
  uuid: `u-${words}`,
  timestamp: '2026-01-02T03:04:05.678Z',
  isSidechain: false,
  parentUuid: null,
  message: { role: 'user', content: words },
});

/**
 * JSON that databases tend to change: key order, numbers, empty values, null, other alphabets, control
 * characters.
 */
const AWKWARD: SessionStoreEntry = {
  type: 'assistant',
  uuid: 'awkward',
  zebra: 1,
  apple: { nested: [1, 2.5, -0.001, 1e21, true, null, '', [], {}] },
  text: 'Grüße, 世界, 🧵, "quotes", \\backslash, \u0000 zero, \u2028 separator, \t tab, \'; DROP TABLE entries; --',
  'a key with $ and .': { $set: 1 },
  number: 9_007_199_254_740_991,
};

const CASES: readonly [name: string, check: (store: SessionStore) => Promise<void>][] = [
  [
    'a conversation that was never written is null',
    async (store) => {
      strictEqual(await store.load(key), null);
      strictEqual(await store.load(agent), null);
    },
  ],
  [
    'entries come back deeply equal, in the order of the calls',
    async (store) => {
      await store.append(key, [user('one'), user('two')]);
      await store.append(key, [AWKWARD]);
      await store.append(key, [user('three')]);
      deepStrictEqual(await store.load(key), [user('one'), user('two'), AWKWARD, user('three')]);
    },
  ],
  [
    'concurrent calls lose nothing, and each keeps its own order',
    async (store) => {
      const batches = Array.from({ length: 20 }, (_, index) => [user(`${index}a`), user(`${index}b`)]);
      await Promise.all(batches.map((batch) => store.append(key, batch)));
      const ids = (await loaded(store, key)).map(({ uuid }) => uuid);
      strictEqual(ids.length, 40);
      for (const [first, second] of batches) ok(ids.indexOf(first?.uuid) < ids.indexOf(second?.uuid));
    },
  ],
  [
    'with `after`, entries that do not follow the last one are refused with SESSION_CONFLICT, and not kept',
    async (store) => {
      const refused = { code: 'SESSION_CONFLICT' };
      const title: SessionStoreEntry = { type: 'custom-title', uuid: 'title', customTitle: 'A title' };
      await store.append(key, [user('one')], { after: null });
      await rejects(store.append(key, [user('other')], { after: null }), refused);
      // A title is not part of what was said, so it does not come in between.
      await store.append(key, [title]);
      await store.append(key, [user('two'), user('three')], { after: 'u-one' });
      await rejects(store.append(key, [user('other')], { after: 'u-one' }), refused);
      // Sent again after a failure: they are there already, and may be kept twice.
      await store.append(key, [user('two'), user('three')], { after: 'u-one' });
      await store.append(key, [user('four')], { after: 'u-three' });
      await store.append({ ...key, sessionId: OTHER }, [user('one')], { after: null });
      const ids = (await loaded(store, key)).map(({ uuid }) => uuid);
      deepStrictEqual([...new Set(ids)], ['u-one', 'title', 'u-two', 'u-three', 'u-four']);
    },
  ],
  [
    'with `after`, one of concurrent calls is kept and the others are refused',
    async (store) => {
      await store.append(key, [user('one')]);
      const calls = Array.from({ length: 20 }, (_, index) =>
        store.append(key, [user(`${index}a`), user(`${index}b`)], { after: 'u-one' }),
      );
      const outcomes = await Promise.allSettled(calls);
      strictEqual(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      strictEqual((await loaded(store, key)).length, 3);
    },
  ],
  [
    'entries without an id are all kept, even equal ones',
    async (store) => {
      const title: SessionStoreEntry = { type: 'custom-title', customTitle: 'A title' };
      await store.append(key, [title]);
      await store.append(key, [title]);
      strictEqual((await loaded(store, key)).length, 2);
    },
  ],
  [
    'an entry that is sent again is not lost',
    async (store) => {
      await store.append(key, [user('one')]);
      await store.append(key, [user('one'), user('two')]);
      const ids = (await loaded(store, key)).map(({ uuid }) => uuid);
      deepStrictEqual([...new Set(ids)], ['u-one', 'u-two']);
    },
  ],
  [
    'projects, conversations and subagents are kept apart',
    async (store) => {
      const keys = [
        key,
        agent,
        { ...key, subpath: 'subagents/agent-a2' },
        { ...key, sessionId: OTHER },
        { ...key, projectKey: 'a/b' },
        { ...key, projectKey: 'a-b' },
        { ...key, projectKey: '..' },
        { ...key, projectKey: `${key.projectKey}${SESSION}` },
      ];
      for (const [index, each] of keys.entries()) await store.append(each, [user(`of ${index}`)]);
      for (const [index, each] of keys.entries())
        deepStrictEqual(await store.load(each), [user(`of ${index}`)]);
    },
  ],
  [
    "later changes to the caller's objects have no effect",
    async (store) => {
      const mine = user('one');
      const list = [mine];
      await store.append(key, list);
      list.push(user('two'));
      mine.message = 'changed';
      (await loaded(store, key)).push(user('three'));
      deepStrictEqual(await store.load(key), [user('one')]);
    },
  ],
  [
    'a large entry and many entries are kept completely',
    async (store) => {
      const large: SessionStoreEntry = { type: 'user', uuid: 'large', text: 'x'.repeat(1_500_000) };
      const many = Array.from({ length: 1_000 }, (_, index) => user(`${index}`));
      await store.append(key, [large]);
      await store.append(key, many);
      deepStrictEqual(await store.load(key), [large, ...many]);
    },
  ],
  [
    'listSessions: the conversations of a project, without those of others and without subagents, with whole milliseconds',
    async (store) => {
      if (store.listSessions === undefined) return;
      deepStrictEqual(await store.listSessions(key.projectKey), []);
      await store.append(key, [user('one')]);
      await store.append(agent, [user('helper')]);
      await store.append({ ...key, projectKey: 'elsewhere', sessionId: OTHER }, [user('two')]);
      const sessions = await store.listSessions(key.projectKey);
      deepStrictEqual(
        sessions.map(({ sessionId }) => sessionId),
        [SESSION],
      );
      ok(sessions.every(({ mtime }) => Number.isInteger(mtime) && mtime > 1_600_000_000_000));
    },
  ],
  [
    'listSessions: the time increases with each write',
    async (store) => {
      if (store.listSessions === undefined) return;
      await store.append(key, [user('one')]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await store.append({ ...key, sessionId: OTHER }, [user('two')]);
      const times = new Map(
        (await store.listSessions(key.projectKey)).map((each) => [each.sessionId, each.mtime]),
      );
      ok((times.get(OTHER) ?? 0) > (times.get(SESSION) ?? 0));
    },
  ],
  [
    'listSessionSummaries: the result of foldSessionSummary over everything that was appended',
    async (store) => {
      if (store.listSessionSummaries === undefined) return;
      const entries = [user('one'), user('two'), { type: 'custom-title', customTitle: 'A title' }];
      for (const entry of entries) await store.append(key, [entry]);
      await store.append(agent, [user('helper')]);
      const summaries = await store.listSessionSummaries(key.projectKey);
      const expected = foldSessionSummary(undefined, key, entries).data;
      deepStrictEqual(
        summaries.map(({ sessionId, data }) => ({ sessionId, data })),
        [{ sessionId: SESSION, data: expected }],
      );
      const listed = await store.listSessions?.(key.projectKey);
      if (listed !== undefined) strictEqual(summaries[0]?.mtime, listed[0]?.mtime);
    },
  ],
  [
    'listSubkeys: the subpaths of a conversation, each once, and not those of another',
    async (store) => {
      if (store.listSubkeys === undefined) return;
      await store.append(key, [user('one')]);
      deepStrictEqual(await store.listSubkeys(key), []);
      await store.append(agent, [user('helper')]);
      await store.append(agent, [user('helper again')]);
      await store.append({ ...key, subpath: 'subagents/deeper/agent-b' }, [user('other helper')]);
      await store.append({ ...agent, sessionId: OTHER }, [user('elsewhere')]);
      deepStrictEqual([...(await store.listSubkeys(key))].sort(), [
        'subagents/agent-a1',
        'subagents/deeper/agent-b',
      ]);
    },
  ],
  [
    'delete: removes a conversation with its subagents and no other, and a second call is not an error',
    async (store) => {
      if (store.delete === undefined) return;
      for (const each of [key, agent, { ...key, sessionId: OTHER }]) await store.append(each, [user('one')]);
      await store.delete(key);
      await store.delete(key);
      strictEqual((await store.load(key))?.length ?? 0, 0);
      strictEqual((await store.load(agent))?.length ?? 0, 0);
      strictEqual((await loaded(store, { ...key, sessionId: OTHER })).length, 1);
      deepStrictEqual((await store.listSubkeys?.(key)) ?? [], []);
      const left = await store.listSessions?.(key.projectKey);
      if (left !== undefined)
        deepStrictEqual(
          left.map(({ sessionId }) => sessionId),
          [OTHER],
        );
    },
  ],
  [
    'delete: of a subagent, removes only that',
    async (store) => {
      if (store.delete === undefined) return;
      for (const each of [key, agent]) await store.append(each, [user('one')]);
      await store.delete(agent);
      strictEqual((await store.load(agent))?.length ?? 0, 0);
      strictEqual((await loaded(store, key)).length, 1);
    },
  ],
];

async function loaded(store: SessionStore, from: typeof key): Promise<SessionStoreEntry[]> {
  const entries = await store.load(from);
  ok(entries !== null, 'load() returned null for a conversation that was written');
  return entries;
}

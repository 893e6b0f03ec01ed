import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Journal, JournaledCall } from '../../protocol/wire/journal.js';

/** One requirement for a journal. `run` rejects with the reason if the journal does not meet it. */
export interface JournalCase {
  name: string;
  run(): Promise<void>;
}

/** Creates a new, empty journal for each case; `dispose` cleans up after it. */
export type MakeJournal = () =>
  | Journal
  | { journal: Journal; dispose?: () => void | Promise<void> }
  | Promise<Journal | { journal: Journal; dispose?: () => void | Promise<void> }>;

/**
 * The requirements for every journal, for any test runner:
 * `for (const { name, run } of journalConformance(makeJournal)) it(name, run);`
 */
export function journalConformance(make: MakeJournal): JournalCase[] {
  return CASES.map(([name, check]) => ({
    name,
    run: async () => {
      const made = await make();
      const { journal, dispose } = 'begin' in made ? { journal: made, dispose: undefined } : made;
      try {
        await check(journal);
      } finally {
        await dispose?.();
      }
    },
  }));
}

const call: JournaledCall = {
  sessionId: '11111111-1111-4111-8111-111111111111',
  toolUseId: 'toolu_1',
  toolName: 'mcp__shop__pay',
  input: { amount: 5 },
};

/** JSON that databases tend to change. */
const AWKWARD = {
  content: [
    { type: 'text', text: 'Grüße, 世界, 🧵, "quotes", \\backslash, \u0000 zero, \'; DROP TABLE calls; --' },
  ],
  zebra: 1,
  apple: { nested: [1, 2.5, -0.001, 1e21, true, null, '', [], {}] },
  'a key with $ and .': { $set: 1 },
  number: 9_007_199_254_740_991,
};

const CASES: readonly [name: string, check: (journal: Journal) => Promise<void>][] = [
  [
    'a call is new until it is begun, however often it is looked at',
    async (journal) => {
      deepStrictEqual(await journal.look(call), { state: 'new' });
      deepStrictEqual(await journal.look(call), { state: 'new' });
      deepStrictEqual(await journal.begin(call), { state: 'new' });
    },
  ],
  [
    'a call that was begun and not ended is uncertain, for those who look and for those who begin',
    async (journal) => {
      await journal.begin(call);
      strictEqual((await journal.look(call)).state, 'uncertain');
      strictEqual((await journal.begin(call)).state, 'uncertain');
      strictEqual((await journal.begin(call)).state, 'uncertain');
    },
  ],
  [
    'a call that was ended is done, with a deeply equal result',
    async (journal) => {
      await journal.begin(call);
      await journal.end(call, AWKWARD);
      deepStrictEqual(await journal.look(call), { state: 'done', result: AWKWARD });
      deepStrictEqual(await journal.begin(call), { state: 'done', result: AWKWARD });
    },
  ],
  [
    'of those who begin a call at the same time, one is told that it is new',
    async (journal) => {
      const states = await Promise.all(Array.from({ length: 20 }, () => journal.begin(call)));
      strictEqual(states.filter(({ state }) => state === 'new').length, 1);
      strictEqual(states.filter(({ state }) => state === 'uncertain').length, 19);
    },
  ],
  [
    'the first result stays',
    async (journal) => {
      await journal.begin(call);
      await journal.end(call, { content: 'first' });
      await journal.end(call, { content: 'second' });
      deepStrictEqual(await journal.look(call), { state: 'done', result: { content: 'first' } });
    },
  ],
  [
    'calls are told apart by their session and their id, whatever characters those have',
    async (journal) => {
      const calls = [
        call,
        { ...call, toolUseId: 'toolu_2' },
        { ...call, sessionId: '22222222-2222-4222-8222-222222222222' },
        { ...call, toolUseId: 'a/b:c' },
        { ...call, toolUseId: 'a:b/c' },
        { ...call, toolUseId: '../toolu_1' },
        { ...call, toolUseId: "'; --" },
      ];
      for (const each of calls) strictEqual((await journal.begin(each)).state, 'new');
      await Promise.all(calls.map((each, index) => journal.end(each, { content: `of ${index}` })));
      for (const [index, each] of calls.entries()) {
        deepStrictEqual(await journal.look(each), { state: 'done', result: { content: `of ${index}` } });
      }
    },
  ],
  [
    'the name and the input of a call do not tell it apart',
    async (journal) => {
      await journal.begin(call);
      await journal.end({ ...call, toolName: 'pay', input: {} }, { content: 'Paid.' });
      strictEqual((await journal.look({ ...call, input: { amount: 6 } })).state, 'done');
    },
  ],
  [
    'a large result is kept completely',
    async (journal) => {
      const result = { content: 'x'.repeat(1_500_000) };
      await journal.begin(call);
      await journal.end(call, result);
      deepStrictEqual(await journal.look(call), { state: 'done', result });
    },
  ],
  [
    "later changes to the caller's objects have no effect",
    async (journal) => {
      const result = { content: ['mine'] };
      await journal.begin(call);
      await journal.end(call, result);
      result.content.push('changed');
      const known = await journal.look(call);
      if (known.state === 'done') (known.result as typeof result).content.push('changed');
      deepStrictEqual(await journal.look(call), { state: 'done', result: { content: ['mine'] } });
    },
  ],
];

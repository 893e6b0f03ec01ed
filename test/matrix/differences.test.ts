import { expect, it } from 'vitest';
import { DIFFERENCES } from './differences.js';
import { RUNTIME_DIFFERENCES } from './runtime-differences.js';
import { compare } from './support/compare.js';
import { complaints } from './support/judge.js';
import { playedNow } from './support/matrix.js';
import type { Comparable } from './support/normalise.js';
import type { Scenario } from './support/scenario.js';
import { TABLE } from './table.js';

const scenarios: readonly Scenario[] = Object.values(TABLE).flat();

it('every scenario has a name of its own', () => {
  const names = scenarios.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it.each([
  ['clients', DIFFERENCES],
  ['agents', RUNTIME_DIFFERENCES],
] as const)(
  'every listed difference of the %s has an id of its own, a reason and a scenario that must show it',
  (_, list) => {
    const ids = [...DIFFERENCES, ...RUNTIME_DIFFERENCES].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, reason, seenIn } of list) {
      expect(reason, id).toMatch(/^([A-Z]|\w+\(\)).{20,}\.$/);
      expect(seenIn.length, id).toBeGreaterThan(0);
      expect(
        seenIn.filter((name) => !scenarios.some((scenario) => scenario.name === name)),
        id,
      ).toEqual([]);
    }
  },
);

it('at least sixty scenarios, of every class, run in all five cells (pain 49)', () => {
  const classes = Object.entries(TABLE).map(([title, table]) => {
    const everywhere = playedNow(table).filter(
      ({ claudeCodeOnly, processOnly }) => claudeCodeOnly === undefined && processOnly === undefined,
    );
    return { title, count: everywhere.length };
  });
  expect(classes.filter(({ count }) => count === 0).map(({ title }) => title)).toEqual([]);
  expect(classes.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(60);
});

it('a difference must be on the list, and what is on the list must be seen', () => {
  const finding = { where: 'error', item: 'error', path: 'name', subject: 'A', reference: 'B' } as const;
  const entry = {
    id: 'an-id',
    where: ['error'] as const,
    seenIn: ['a test'],
    matches: ({ path }: { path: string }) => path === 'name',
    reason: '',
  };
  const judge = (findings: (typeof finding)[], list: (typeof entry & { sometimes?: true })[]) =>
    complaints(scenario, findings, list, 'the list').map((complaint) => complaint.split('\n')[0]);
  expect(judge([finding], [entry])).toEqual([]);
  expect(judge([finding], [])).toEqual(['not in the list: error, error, name']);
  expect(judge([], [entry])).toEqual(['in the list as "an-id", but not seen here']);
  expect(judge([], [{ ...entry, sometimes: true }])).toEqual([]);
  expect(judge([finding], [{ ...entry, seenIn: ['another'] }])).toHaveLength(1);
});

const NOTHING: Comparable = {
  argv: [],
  env: {},
  stdin: [],
  messages: [],
  error: null,
  model: [],
  driven: null,
  calls: [],
  exit: { code: 0, signal: null },
};
const scenario: Scenario = { name: 'a test', cites: '', script: [] };
const result = (fields: object) => ({ type: 'result', subtype: 'success', ...fields });

it('the comparison finds another value, a missing one, a message too many and another order', () => {
  const found = (
    subject: Partial<Comparable>,
    reference: Partial<Comparable>,
    more: Partial<Scenario> = {},
  ) =>
    compare({ ...NOTHING, ...subject }, { ...NOTHING, ...reference }, { ...scenario, ...more }).map(
      ({ where, item, path }) => [where, item, path].join(' '),
    );
  const system = { type: 'system', subtype: 'init' };
  expect(found({ messages: [result({ a: 1 })] }, { messages: [result({ a: 2 })] })).toEqual([
    'messages result success a',
  ]);
  expect(found({ messages: [result({})] }, { messages: [result({ a: { b: 1 } })] })).toEqual([
    'messages result success a',
  ]);
  expect(found({ messages: [system, result({})] }, { messages: [result({})] })).toEqual([
    'messages system init ',
  ]);
  const [one, other] = [{ messages: [system, result({})] }, { messages: [result({}), system] }];
  expect(found(one, other)).toHaveLength(2);
  expect(found(one, other, { unordered: ['messages'] })).toEqual([]);
  expect(found(one, other, { ignore: ['messages'] })).toEqual([]);
  expect(found({ argv: ['--a=1'] }, { argv: ['--a=2', '--b'] })).toEqual(['argv --a ', 'argv --b ']);
  expect(found({ exit: { code: 143, signal: null } }, {})).toEqual(['exit exit code']);
});

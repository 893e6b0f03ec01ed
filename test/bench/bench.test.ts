/** That the benchmark measures, not what it measures: the machine is noisy (R33). */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const { findPostgres }: { findPostgres(): string | undefined } = await import(
  new URL('../../examples/shared/programs.mjs', import.meta.url).href
);

const program = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);

/** The emulator of the CLI is native; without a compiler there is nothing to measure with. */
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

it.skipIf(!hasCompiler)(
  'measures all three clients and the embedded runtime, and prints numbers as JSON',
  async () => {
    const { stdout } = await run(
      '--only',
      'first-call',
      '--only',
      'runtime-start',
      '--rounds',
      '1',
      '--json',
    );
    const rows = JSON.parse(stdout) as { name: string; bySubject: Record<string, { median: number }> }[];
    const subjects = (name: string) => Object.keys(rows.find((row) => row.name === name)?.bySubject ?? {});
    expect(subjects('first-call')).toEqual(['official', 'floor', 'tenon']);
    expect(subjects('runtime-start')).toEqual(['runtime']);
    const values = rows.flatMap(({ bySubject }) => Object.values(bySubject).map((each) => each.median));
    expect(values.every((value) => value > 0)).toBe(true);
  },
);

it.skipIf(findPostgres() === undefined)('measures a host on a PostgreSQL server', async () => {
  const { stdout } = await run('--only', 'host-writes', '--rounds', '1', '--json');
  const rows = JSON.parse(stdout) as {
    metric: { key: string };
    bySubject: Record<string, { median: number }>;
  }[];
  const perCall = rows.find(({ metric }) => metric.key === 'perCall')?.bySubject.host;
  expect(perCall?.median).toBe(2);
});

it.each([
  [['--rounds', 'many'], '--rounds must be a whole number from 1 on; it is "many"'],
  [['--only', 'nothing-like-this'], 'no case is named like "nothing-like-this"'],
  [['--report', '--only', 'import'], '--report needs all cases'],
  [['--loud'], "Unknown option '--loud'"],
])('refuses %j with a reason', async (args, reason) => {
  await expect(run(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
});

it('explains itself and names its cases', async () => {
  expect((await run('--help')).stdout).toContain('--rounds <n>');
  expect((await run('--list')).stdout.split('\n')).toContain('call-100B');
});

it('compares pairs, so that a slow moment of the machine is in both', async () => {
  const statistics = new URL('../../bench/lib/statistics.mjs', import.meta.url).href;
  const { median, ratio } = await import(statistics);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(ratio([10, 200, 30], [5, 100, 10])).toBe(2);
});

it('the figures for the README are those of cases that exist', async () => {
  const { CASES } = await import(new URL('../../bench/cases.mjs', import.meta.url).href);
  const { rows } = await import(new URL('../../bench/lib/rows.mjs', import.meta.url).href);
  const { summaryCells } = await import(new URL('../../bench/lib/tables.mjs', import.meta.url).href);
  const numbers = new Proxy({}, { get: () => 2 });
  const measured = new Map<string, Map<string, object[]>>(
    CASES.map(({ name, subjects }: { name: string; subjects: string[] }) => [
      name,
      new Map(subjects.map((subject) => [subject, [numbers]])),
    ]),
  );
  const [head, first, ...others] = summaryCells(rows(CASES, measured));
  expect(head).toEqual(['median', 'official SDK', 'Tenon']);
  expect(first).toEqual(['import of the package', '2 ms', '2 ms']);
  expect(others.flat().join()).not.toContain('NaN');
  expect(() => summaryCells([])).toThrow('which was not measured');
});

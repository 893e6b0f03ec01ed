/** After the tests: a table of scenarios and versions in Markdown, for docs/compatibility-versions.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { isOlder } from '../../../src/client/launch/cli-versions.js';
import { cacheFolder } from './fetch-cli.js';
import type { Played } from './scenario.js';

interface Cell extends Played {
  readonly passed: boolean;
  readonly milliseconds: number;
}

export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cells = modules.flatMap((module) => [...module.children.allTests()]).flatMap(cellOf);
    if (cells.length === 0) return;
    const file = join(cacheFolder(), 'results.md');
    mkdirSync(cacheFolder(), { recursive: true });
    const markdown = table(cells);
    writeFileSync(file, markdown);
    console.log(`\n${markdown}\nThis table is in ${file}`);
  }
}

type Test = ReturnType<TestModule['children']['allTests']> extends Iterable<infer Item> ? Item : never;

function cellOf(test: Test): Cell[] {
  const { played } = test.meta();
  if (played === undefined) return [];
  return [{ ...played, passed: test.ok(), milliseconds: test.diagnostic()?.duration ?? 0 }];
}

function table(cells: readonly Cell[]): string {
  const versions = [...new Set(cells.map(({ version }) => version))].sort((a, b) => (isOlder(a, b) ? -1 : 1));
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))];
  const reasons = [...new Set(cells.flatMap(({ reason }) => reason ?? []))];
  const mark = (cell: Cell | undefined): string => {
    if (cell === undefined) return '';
    if (!cell.passed) return '✗';
    return cell.reason === undefined ? '✓' : `–\u00a0(${reasons.indexOf(cell.reason) + 1})`;
  };
  const seconds = (version: string): string => {
    const own = cells.filter((cell) => cell.version === version);
    return `${(own.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000).toFixed(0)} s`;
  };
  const row = (first: string, rest: readonly string[]): string => `| ${[first, ...rest].join(' | ')} |`;
  return [
    row('', versions),
    row(
      '---',
      versions.map(() => '---'),
    ),
    ...scenarios.map((scenario) =>
      row(
        scenario,
        versions.map((version) =>
          mark(cells.find((cell) => cell.scenario === scenario && cell.version === version)),
        ),
      ),
    ),
    row('*time for all*', versions.map(seconds)),
    '',
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
    '',
  ].join('\n');
}

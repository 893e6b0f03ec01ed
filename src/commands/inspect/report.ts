import { compareRuns } from '../../observe/run/compare.js';
import { funnelOf, funnelsOf } from '../../observe/run/funnel.js';
import type { Run } from '../../observe/run/run.js';
import { stopReasonOf } from '../../observe/run/stop-reason.js';
import { summaryText, whyText } from '../../observe/run/text.js';
import { totalsOf } from '../../observe/run/totals.js';
import type { RunComparison } from '../../observe/run/views.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../terminal/print.js';

const DEFAULT_WIDTH = 100;

/** Prints why a tool was, or was not, called. */
export function reportWhy(run: Run, tool: string, isJson: boolean): number {
  const funnel = funnelOf(run, tool);
  if (isJson) printJson(funnel);
  else printLines(whyText(funnel, width()));
  return funnel.broken === undefined ? EXIT.ok : EXIT.failed;
}

/** Prints what happened in a run, or what differs between two. */
export function reportRuns([left, right]: readonly Run[], isJson: boolean): void {
  if (left === undefined) return;
  if (right !== undefined) {
    const comparison = compareRuns(left, right);
    if (isJson) printJson(comparison);
    else printLines(comparisonText(comparison));
    return;
  }
  const { head } = left;
  if (!isJson) printLines(summaryText(left, width()));
  else printJson({ head, totals: totalsOf(left), stop: stopReasonOf(left), tools: funnelsOf(left) });
}

function comparisonText({ differences, figures }: RunComparison): string[] {
  const widest = Math.max(...figures.map(({ name }) => name.length));
  const middle = Math.max(...figures.map(({ left }) => left.length));
  return [
    ...(differences.length === 0 ? ['Nothing that the agent was given, or did, differs.'] : []),
    ...differences.flatMap(({ where, left, right }) => [where, `  - ${left}`, `  + ${right}`]),
    '',
    ...figures.map(({ name, left, right }) => `${name.padEnd(widest)}  ${left.padStart(middle)}  ${right}`),
  ];
}

function printLines(lines: readonly string[]): void {
  print(`${lines.join('\n')}\n`);
}

function width(): number {
  return process.stdout.columns ?? DEFAULT_WIDTH;
}

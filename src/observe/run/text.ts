import { costOf } from './cost.js';
import { funnelsOf } from './funnel.js';
import type { Run } from './run.js';
import { stopReasonOf } from './stop-reason.js';
import { timelineOf } from './timeline.js';
import { inputTokens } from './token-usage.js';
import { totalsOf } from './totals.js';
import { counted, short, timeText } from './values.js';
import type { FunnelStep, RunTotals, Span, Timeline, ToolFunnel } from './views.js';

/*
 * A run for the terminal: plain lines without colours, none longer than `width`. What stands in them comes from
 * strangers; who prints them makes them harmless.
 */

const BARS: Readonly<Record<Span['kind'], string>> = {
  turn: '─',
  model: '█',
  tool: '▓',
  person: '?',
  hook: '○',
  subagent: '▒',
  compaction: '≡',
};
const MARKS: Readonly<Record<FunnelStep['state'], string>> = {
  done: '✓',
  broken: '✗',
  waiting: '…',
  unknown: '?',
  'not reached': '·',
};
/** A long run has a page; here are its beginning and its end. */
const MOST_SPANS = 40;
const MOST_TOOLS = 30;
const DEEPEST = 12;

/** What happened, and what was wrong with it. */
export function summaryText(run: Run, width = 100): string[] {
  const { title, details } = stopReasonOf(run);
  const lines = [
    `${run.head.agent}, ${run.head.startedAt}`,
    totalsText(totalsOf(run)),
    '',
    title,
    ...details.map((detail) => `  ${detail}`),
    ...section('Timeline', timelineText(timelineOf(run), width)),
    ...section('Tools', toolsText(funnelsOf(run), width)),
    ...section('Cost', costText(run)),
  ];
  return lines.map((line) => fitted(line, width));
}

/** `12.4 s · 3 req · 18,000 in / 410 out · $0.04` */
function totalsText({ durationMs, requests, calls, usage, costUsd }: RunTotals): string {
  return [
    timeText(durationMs),
    counted(requests, 'request'),
    counted(calls, 'call'),
    `${inputTokens(usage).toLocaleString('en-US')} tokens in, ${usage.output.toLocaleString('en-US')} out`,
    dollars(costUsd),
  ].join(' · ');
}

/** Why a tool was called, or was not: a line for each step, and what to do. */
export function whyText({ tool, steps, broken }: ToolFunnel, width = 100): string[] {
  const widest = Math.max(...steps.map(({ name }) => name.length));
  const lines = steps.flatMap(({ name, state, detail }) => {
    const head = `${MARKS[state]} ${name.padEnd(widest)}  `;
    return state === 'not reached' ? [head.trimEnd()] : wrapped(head, detail, width);
  });
  const verdict =
    broken === undefined
      ? [
          `${tool}: ${steps.some(({ state }) => state === 'waiting') ? 'so far nothing is wrong.' : 'nothing is wrong.'}`,
        ]
      : [...wrapped(`${tool}: `, broken.reason, width, '  '), ...wrapped('  → ', broken.remedy, width)];
  return [...verdict, '', ...lines];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function timelineText({ spans, duration, criticalPath }: Timeline, width: number): string[] {
  const critical = new Set(criticalPath);
  const depths = depthsOf(spans);
  const shown = spans.slice(0, MOST_SPANS);
  const label = (span: Span): string => `${'  '.repeat(depths.get(span.id) ?? 0)}${span.kind} ${span.name}`;
  const labels = Math.min(
    36,
    Math.max(10, ...shown.map((span) => label(span).length)),
    Math.floor(width / 2),
  );
  const room = Math.max(10, width - labels - 16);
  const [first] = spans;
  const from = first?.start ?? 0;
  const scale = room / Math.max(1, duration - from);
  const lines = shown.map((span) => {
    const end = span.end ?? duration;
    const start = Math.min(room - 1, Math.floor((span.start - from) * scale));
    const length = Math.max(1, Math.min(room - start, Math.round((end - span.start) * scale)));
    const bar = `${' '.repeat(start)}${BARS[span.kind].repeat(length)}`.padEnd(room);
    const mark = span.status === 'error' ? '✗' : span.status === 'ok' ? ' ' : '…';
    const time = timeText(end - span.start).padStart(9);
    return `${fitted(label(span), labels).padEnd(labels)} ${bar} ${time} ${mark}${critical.has(span.id) ? '*' : ''}`;
  });
  if (spans.length > shown.length) lines.push(`… and ${counted(spans.length - shown.length, 'span')} more`);
  return lines.length === 0 ? [] : [...lines, '* determined how long the turn took'];
}

/** A hook may have begun before the call that it belongs to. */
function depthsOf(spans: readonly Span[]): ReadonlyMap<string, number> {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const depthOf = (id: string | undefined, most: number): number =>
    id === undefined || most === 0 ? 0 : 1 + depthOf(parents.get(id), most - 1);
  return new Map(spans.map(({ id, parent }) => [id, depthOf(parent, DEEPEST)]));
}

function toolsText(funnels: readonly ToolFunnel[], width: number): string[] {
  const told = funnels.filter(({ server, calls }) => server !== undefined || calls.length > 0);
  const shown = told.slice(0, MOST_TOOLS);
  const widest = Math.min(40, Math.max(0, ...shown.map(({ tool }) => tool.length)));
  const lines = shown.map(({ tool, calls, failed, broken }) => {
    const head = `${short(tool, widest).padEnd(widest)}  ${String(calls.length).padStart(4)}${failed > 0 ? ` (${failed} ✗)` : ''}`;
    if (broken?.step === 'requested') return `${head}  never called`;
    return broken === undefined ? head : fitted(`${head}  ${broken.step}: ${broken.reason}`, width - 2);
  });
  if (told.length > shown.length) lines.push(`… and ${counted(told.length - shown.length, 'tool')} more`);
  return lines;
}

function costText(run: Run): string[] {
  const { models, tools } = costOf(run);
  return [
    ...models.map(({ model, usage, costUsd }) => {
      const cached = `${usage.cacheRead.toLocaleString('en-US')} from the cache`;
      return `${model}  ${inputTokens(usage).toLocaleString('en-US')} in (${cached}), ${usage.output.toLocaleString('en-US')} out  ${dollars(costUsd)}`;
    }),
    ...tools
      .slice(0, MOST_TOOLS)
      .map(
        ({ tool, calls, resultChars, ms }) =>
          `${tool}  ${counted(calls, 'call')}, ${timeText(ms)}, ${counted(resultChars, 'character')} of context`,
      ),
  ];
}

function dollars(cost: number | undefined): string {
  return cost === undefined ? 'cost unknown' : `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`;
}

function fitted(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** The text behind its head, broken at blanks, the following lines below its beginning. */
function wrapped(head: string, text: string, width: number, indent = ' '.repeat(head.length)): string[] {
  const lines: string[] = [];
  let line = head;
  for (const word of text.split(/\s+/)) {
    const isEmpty = line === head || line === indent;
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else line += isEmpty ? word : ` ${word}`;
  }
  return [...lines, line];
}

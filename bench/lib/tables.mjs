// @ts-check
/** The table for the terminal and for Markdown: the same cells. */
import { shown } from './rows.mjs';

/** @typedef {import('./rows.mjs').Row} Row */

const CLIENTS = ['official', 'floor', 'tenon'];

/** @param {Row} row @param {string} subject */
function cell({ bySubject, metric }, subject) {
  const value = bySubject[subject];
  if (value === undefined || Number.isNaN(value.median)) return '';
  const spread = `${shown(value.least, '').trim()}–${shown(value.most, '').trim()}`;
  return `${shown(value.median, metric.unit)} (${spread})`.replace('/s (', '/s (');
}

/** @param {Row} row */
function verdict({ met }) {
  return met === undefined ? '' : met ? 'yes' : 'no';
}

/** @param {readonly Row[]} rows */
export function clientCells(rows) {
  return [
    ['what', 'official SDK', 'floor', 'Tenon', 'Tenon / floor', 'goal', 'met'],
    ...rows
      .filter(({ bySubject }) => bySubject.floor !== undefined)
      .map((row) => [
        row.title,
        ...CLIENTS.map((subject) => cell(row, subject)),
        row.ratio === undefined ? '' : row.ratio.toFixed(2),
        row.goal,
        verdict(row),
      ]),
  ];
}

/** @param {readonly Row[]} rows */
export function recordingCells(rows) {
  return [
    ['what', 'not recorded', 'recorded', 'ratio', 'goal', 'met'],
    ...rows
      .filter(({ bySubject }) => bySubject.recorded !== undefined)
      .map((row) => [
        row.title,
        ...['tenon', 'recorded'].map((subject) => cell(row, subject)),
        row.ratio?.toFixed(2) ?? '',
        row.goal,
        verdict(row),
      ]),
  ];
}

/** @param {readonly Row[]} rows */
export function runtimeCells(rows) {
  return [
    ['what', 'embedded runtime', 'goal', 'met'],
    ...rows
      .filter(({ bySubject }) => bySubject.runtime !== undefined)
      .map((row) => [row.title, cell(row, 'runtime'), row.goal, verdict(row)]),
  ];
}

const HOSTS = ['langgraph', 'mastra', 'bare', 'resumed', 'host'];

/** @param {readonly Row[]} rows */
export function hostCells(rows) {
  return [
    [
      'what',
      'LangGraph, PostgreSQL checkpointer',
      'Mastra, PostgreSQL store',
      '`query()` that stays open',
      '`query()` for each turn',
      'host',
      'goal',
      'met',
    ],
    ...rows
      .filter(({ bySubject }) => bySubject.host !== undefined)
      .map((row) => [row.title, ...HOSTS.map((subject) => cell(row, subject)), row.goal, verdict(row)]),
  ];
}

/** @param {readonly Row[]} rows */
export function realCliCells(rows) {
  return [
    ['what', 'official SDK', 'Tenon', 'Tenon, warm pool'],
    ...rows
      .filter(({ bySubject }) => bySubject.pool !== undefined)
      .map((row) => [row.title, ...['official', 'tenon', 'pool'].map((subject) => cell(row, subject))]),
  ];
}

/** @param {readonly Row[]} rows */
export function agentCells(rows) {
  return [
    ['what', 'Claude Code CLI', 'tenon-runtime', 'goal', 'met'],
    ...rows
      .filter(({ bySubject }) => bySubject.claude !== undefined)
      .map((row) => [
        row.title,
        ...['claude', 'tenon-runtime'].map((subject) => cell(row, subject)),
        row.goal,
        verdict(row),
      ]),
  ];
}

const ADAPTERS = {
  anthropic: '`anthropic({ client })`, @anthropic-ai/sdk',
  'ai-sdk-anthropic': '`aiSdk()`, @ai-sdk/anthropic',
  'ai-sdk-openai': '`aiSdk()`, @ai-sdk/openai, chat',
  'ai-sdk-compatible': '`aiSdk()`, @ai-sdk/openai-compatible',
};

/** @param {readonly Row[]} rows */
export function adapterCells(rows) {
  const names = [
    ...new Set(rows.filter(({ toBase }) => Object.keys(toBase).length > 0).map(({ name }) => name)),
  ];
  return [
    [
      'CPU of a turn: model, tool, model',
      'whole',
      'the package alone',
      'Tenon alone',
      'whole / `anthropic()`',
      'Tenon alone / `anthropic()`',
      'goal',
    ],
    ...names.flatMap((name) => adapterLines(rows.filter((row) => row.name === name))),
  ];
}

/** @param {readonly Row[]} rows of one case */
function adapterLines(rows) {
  const row = (/** @type {string} */ key) =>
    /** @type {Row} */ (rows.find(({ metric }) => metric.key === key));
  const compared = (/** @type {string} */ key, /** @type {string} */ subject) => {
    const value = row(key).toBase[subject];
    return value === undefined
      ? ''
      : `${value.toFixed(2)}${value <= (row(key).metric.atMost ?? 0) ? '' : ' (missed)'}`;
  };
  return Object.entries(ADAPTERS).map(([subject, title]) => [
    `${title}: ${row('turn').title}`,
    ...['turn', 'alone', 'ours'].map((key) => cell(row(key), subject)),
    ...['turn', 'ours'].map((key) => compared(key, subject)),
    compared('turn', subject) === '' ? '' : `≤ ${row('turn').metric.atMost}`,
  ]);
}

const WAYS = {
  direct: 'direct call of the function',
  memory: 'linked in-memory MCP pair',
  'in-process': 'in-process tool, behind the pipe of a CLI',
  embedded: 'in-process tool of the embedded runtime, with its share of the turn',
  stdio: 'stdio server',
  sse: 'old HTTP+SSE server',
  http: 'streamable HTTP server',
};

/** @param {readonly Row[]} rows */
export function transportCells(rows) {
  const row = rows.find(({ name }) => name === 'transports');
  if (row === undefined) return [];
  return [['way', 'p50'], ...Object.entries(WAYS).map(([subject, title]) => [title, cell(row, subject)])];
}

/** What the README shows: the case, the metric, and the words for somebody who has not read how it is measured. */
const SUMMARY = /** @type {const} */ ([
  ['import', 'took', 'import of the package'],
  ['import', 'memory', 'memory after the import'],
  ['cold', 'start', '`query()` to the first byte at the agent'],
  ['first-call', 'firstCall', 'first tool call'],
  ['call-100B', 'p50', 'each further tool call'],
  ['in-flight-64', 'perSecond', 'tool calls per second, 64 at once'],
  ['idle-200', 'heap', 'heap of an idle query'],
]);

/** @param {readonly Row[]} rows */
export function summaryCells(rows) {
  return [
    ['median', 'official SDK', 'Tenon'],
    ...SUMMARY.map(([name, key, words]) => {
      const row = rows.find((each) => each.name === name && each.metric.key === key);
      if (row === undefined)
        throw new Error(`The README shows "${key}" of the case "${name}", which was not measured.`);
      return [words, ...['official', 'tenon'].map((subject) => figure(row, subject))];
    }),
  ];
}

/** @param {Row} row @param {string} subject */
function figure({ bySubject, metric }, subject) {
  return shown(bySubject[subject]?.median ?? Number.NaN, metric.unit);
}

/** @param {string[][]} cells */
export function markdown(cells) {
  const [head = [], ...body] = cells;
  const line = (/** @type {string[]} */ each) => `| ${each.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...body.map(line)].join(
    '\n',
  );
}

/** @param {string[][]} cells */
export function aligned(cells) {
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((each) => (each[column] ?? '').length)),
  );
  return cells
    .map((each) =>
      each
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

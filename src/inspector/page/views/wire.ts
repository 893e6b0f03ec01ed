import { html, nothing, type TemplateResult } from 'lit-html';
import type { Run } from '../../../observe/run/run.js';
import { type WireRow, wireRowsOf } from '../../../observe/run/wire.js';
import { clockTime, duration, whole } from '../format.js';
import { empty, toolName } from '../parts/pieces.js';
import { VirtualList } from '../parts/virtual-list.js';
import { currentRun, filter, isLive, open, type Selected, selected, version } from '../state/store.js';
import { filteredRows } from '../state/wire-filter.js';

export const wireList = new VirtualList('wire', 26);

export function wireView(): TemplateResult {
  void version.value;
  const run = currentRun();
  const all = run === undefined ? [] : wireRowsOf(run);
  if (run === undefined || all.length === 0) {
    return empty(
      'Nothing has crossed the wire yet',
      'Every frame between the program and its agent appears here, requests joined to their answers.',
      'tenon inspect -- node app.mjs',
    );
  }
  const isFiltered = filter.value.trim() !== '';
  const { rows, looked } = isFiltered ? filteredRows(run) : { rows: undefined, looked: all.length };
  const at = (index: number): WireRow | undefined => all[rows === undefined ? index : (rows[index] ?? -1)];
  const total = rows === undefined ? all.length : rows.length;
  return html`<div class="view wire-view">
    <div class="row-head wire-row" aria-hidden="true">
      <span class="right">time</span><span></span><span>type</span><span>what</span><span class="right">took</span>
    </div>
    ${wireList.render({
      count: total,
      label: 'Frames',
      follows: isLive(),
      selected: selectedIndex(run, rows),
      row: (index) => row(at(index), all),
      rowClass: (index) => rowClass(at(index)),
      select: (index) => choose(at(index), false),
      open: (index) => choose(at(index), true),
    })}
    <p class="list-foot" role="status">
      ${isFiltered ? `${whole(total)} of ${whole(all.length)} lines` : `${whole(total)} lines`}${
        looked < all.length ? ', still looking …' : ''
      }
    </p>
  </div>`;
}

function choose(row: WireRow | undefined, isOpening: boolean): void {
  if (row === undefined) return;
  const what: Selected =
    row.n === undefined ? { kind: 'line', index: row.index } : { kind: 'frame', n: row.n };
  if (isOpening) open(what);
  else selected.value = what;
}

const ARROWS = { '>': '→', '<': '←', '·': '·' } as const;
const DIRECTIONS = { '>': 'to the agent', '<': 'from the agent', '·': 'told by the recorder' } as const;

function row(shown: WireRow | undefined, all: readonly WireRow[]): TemplateResult {
  if (shown === undefined) return html``;
  const { t, direction, type, name, tool, text } = shown;
  return html`<span class="time right">${clockTime(t)}</span>
    <span class="arrow" title=${DIRECTIONS[direction]}>${ARROWS[direction]}</span>
    <span class="type clip">${type}${name === '' ? nothing : html` <b>${name}</b>`}</span>
    <span class="clip">${tool === undefined ? nothing : html`${toolName(tool)} `}<span class="text">${text}</span></span>
    <span class="right">${pairing(shown, all)}</span>`;
}

/** What became of a request; for an answer, how long it took. */
function pairing({ pair, state, t }: WireRow, all: readonly WireRow[]): TemplateResult | typeof nothing {
  if (state === 'open') return html`<span class="status is-open">open</span>`;
  const other = pair === undefined ? undefined : all[pair];
  if (other === undefined) return nothing;
  const took = html`<span class="time">⇄ ${duration(Math.abs(other.t - t))}</span>`;
  if (state === 'error') return html`<span class="status is-error">error</span> ${took}`;
  return state === 'cancelled' ? html`<span class="status is-cut">cancelled</span> ${took}` : took;
}

function rowClass(shown: WireRow | undefined): string {
  if (shown === undefined) return 'wire-row';
  const towards = shown.direction === '>' ? 'is-sent' : shown.direction === '<' ? 'is-received' : 'is-told';
  const what = selected.value;
  const isPair = shown.pair !== undefined && isRow(what, shown.pair);
  return `wire-row ${towards} ${shown.state === 'error' ? 'has-failed' : ''} ${isPair ? 'is-pair' : ''}`;
}

function isRow(what: Selected | undefined, index: number): boolean {
  return selectedRow.index === index && what !== undefined;
}

/** The row that is selected, of the run that is shown. */
let selectedRow: { run: Run | undefined; what: Selected | undefined; index: number } = {
  run: undefined,
  what: undefined,
  index: -1,
};

/** The place of the selected line among all rows; −1: none. */
export function selectedLine(run: Run): number {
  const what = selected.value;
  if (selectedRow.run !== run || selectedRow.what !== what || selectedRow.index < 0) {
    selectedRow = { run, what, index: lineOf(run, what) };
  }
  return selectedRow.index;
}

function lineOf(run: Run, what: Selected | undefined): number {
  if (what?.kind === 'line') return what.index;
  if (what?.kind !== 'frame') return -1;
  return wireRowsOf(run).findIndex(({ n }) => n === what.n);
}

function selectedIndex(run: Run, rows: readonly number[] | undefined): number {
  const line = selectedLine(run);
  return rows === undefined || line < 0 ? line : rows.indexOf(line);
}

/** Selects the row that answers the selected one, or that it answers. */
export function toPair(): void {
  const run = currentRun();
  if (run === undefined) return;
  const all = wireRowsOf(run);
  const pair = all[selectedLine(run)]?.pair;
  const other = pair === undefined ? undefined : all[pair];
  if (other === undefined || pair === undefined) return;
  choose(other, true);
  // One that the filter hides cannot be shown in the list, but in the detail.
  if (filter.value.trim() === '') wireList.to(pair);
}

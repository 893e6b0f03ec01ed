import type { Run } from '../../../observe/run/run.js';
import { type WireRow, wireRowsOf } from '../../../observe/run/wire.js';
import { filter, touch } from './store.js';

/** How long one look through rows may take before the page is drawn again. */
const SLICE_MS = 10;
const CHECKED_AT_ONCE = 64;

interface Found {
  readonly words: string;
  /** Indices of the rows that match. */
  readonly rows: number[];
  looked: number;
}

const found = new WeakMap<Run, Found>();
let isWaiting = false;

/** The rows that match the filter, as far as they have been looked through: the rest follows, a slice at a time. */
export function filteredRows(run: Run): { readonly rows: readonly number[]; readonly looked: number } {
  const words = filter.value.trim().toLowerCase();
  let known = found.get(run);
  if (known?.words !== words) known = { words, rows: [], looked: 0 };
  found.set(run, known);
  const all = wireRowsOf(run);
  const until = performance.now() + SLICE_MS;
  while (known.looked < all.length && performance.now() < until) {
    const end = Math.min(known.looked + CHECKED_AT_ONCE, all.length);
    for (; known.looked < end; known.looked += 1) {
      const row = all[known.looked];
      if (row !== undefined && matches(run, row, words)) known.rows.push(known.looked);
    }
  }
  if (known.looked < all.length && !isWaiting) {
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      touch();
    });
  }
  return known;
}

/** What the row shows comes first, because the whole line is long. */
function matches(run: Run, { index, type, name, tool, text }: WireRow, words: string): boolean {
  if (`${type} ${name} ${tool ?? ''} ${text}`.toLowerCase().includes(words)) return true;
  return JSON.stringify(run.lines[index]).toLowerCase().includes(words);
}

import type { Gap } from '../../../observe/run/views.js';

/** A stretch of time, and where it lies when the gaps are folded. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly length: number;
}

/** How much of the whole a gap may take, and all of them together. */
const GAP_SHARE = 0.1;
const ALL_GAPS_SHARE = 0.35;

/** Time with its idle gaps folded: every gap is equally long, whatever it lasted. */
export class FoldedTime {
  readonly length: number;
  readonly #stretches: readonly Stretch[];

  constructor(duration: number, gaps: readonly Gap[]) {
    const idle = gaps.reduce((sum, { start, end }) => sum + end - start, 0);
    const busy = Math.max(duration - idle, 1);
    const share = Math.min(GAP_SHARE, ALL_GAPS_SHARE / Math.max(gaps.length, 1));
    const stretches: Stretch[] = [];
    let at = 0;
    let from = 0;
    const add = (start: number, end: number, length: number): void => {
      if (end <= start) return;
      stretches.push({ start, end, at, length });
      at += length;
    };
    for (const { start, end } of gaps) {
      add(from, start, start - from);
      // One that is shorter than its fold would be is left as it is.
      add(start, end, Math.min(busy * share, end - start));
      from = end;
    }
    add(from, duration, duration - from);
    this.#stretches = stretches;
    this.length = Math.max(at, 1);
  }

  /** Where a time lies, between 0 and 1. */
  at(time: number): number {
    const stretch = this.#stretches[this.#last(({ start }) => start <= time)];
    if (stretch === undefined) return 0;
    const inside = Math.min((time - stretch.start) / (stretch.end - stretch.start), 1);
    return (stretch.at + inside * stretch.length) / this.length;
  }

  /** The time that lies somewhere between 0 and 1. */
  timeAt(place: number): number {
    const at = Math.min(Math.max(place, 0), 1) * this.length;
    const stretch = this.#stretches[this.#last((each) => each.at <= at)];
    if (stretch === undefined) return 0;
    const inside = Math.min((at - stretch.at) / stretch.length, 1);
    return stretch.start + inside * (stretch.end - stretch.start);
  }

  #last(isBefore: (stretch: Stretch) => boolean): number {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const stretch = this.#stretches[middle];
      if (stretch !== undefined && isBefore(stretch)) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }
}

const STEPS = [1, 2, 5];

/** Round times about as far apart as wanted. */
export function ticks(from: number, to: number, most: number): number[] {
  const least = (to - from) / Math.max(most, 1);
  let step = 1;
  for (let power = 0; step < least; power += 1) step = (STEPS[power % 3] ?? 1) * 10 ** Math.floor(power / 3);
  const found: number[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) found.push(time);
  return found;
}

/** A round end a little after a time: an axis that follows the clock would move everything all the time. */
export function roundEnd(duration: number): number {
  let step = 250;
  while (step * 8 < duration) step *= 2;
  return Math.ceil((duration + step / 4) / step) * step;
}

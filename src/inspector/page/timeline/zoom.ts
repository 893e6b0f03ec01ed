import { signal } from '@preact/signals-core';

/** The part of the folded time that is in sight, between 0 and 1. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const ALL: Range = { from: 0, to: 1 };
/** As near as one can look. */
const SHORTEST = 1 / 5_000;

export const range = signal<Range>(ALL);

export function showAll(): void {
  range.value = ALL;
}

/** `factor` below 1 looks nearer; `around` is a place in the range, between 0 and 1, that stays where it is. */
export function zoom(factor: number, around = 0.5): void {
  const { from, to } = range.value;
  const length = Math.min(Math.max((to - from) * factor, SHORTEST), 1);
  const start = from + (to - from) * around - length * around;
  setRange(start, start + length);
}

/** By a part of what is in sight. */
export function pan(part: number): void {
  const { from, to } = range.value;
  const by = (to - from) * part;
  setRange(from + by, to + by);
}

export function setRange(from: number, to: number): void {
  const length = Math.min(Math.max(to - from, SHORTEST), 1);
  const start = Math.min(Math.max(from, 0), 1 - length);
  range.value = { from: start, to: start + length };
}

export const isZoomed = (): boolean => range.value.to - range.value.from < 1;

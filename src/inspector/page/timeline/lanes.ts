import type { Span } from '../../../observe/run/views.js';

export interface PlacedSpan {
  readonly span: Span;
  readonly lane: number;
}

/** Puts each span below the one it belongs to, in the first lane that is free: what is side by side was parallel. */
export function lanesOf(spans: readonly Span[], now: number): { placed: PlacedSpan[]; lanes: number } {
  const laneOf = new Map<string, number>();
  /** Until when each lane is taken. */
  const taken: number[] = [];
  const placed = spans.map((span) => {
    const above = span.parent === undefined ? undefined : laneOf.get(span.parent);
    let lane = above === undefined ? (span.kind === 'turn' ? 0 : 1) : above + 1;
    while ((taken[lane] ?? Number.NEGATIVE_INFINITY) > span.start) lane += 1;
    taken[lane] = Math.max(span.end ?? now, span.start);
    laneOf.set(span.id, lane);
    return { span, lane };
  });
  return { placed, lanes: Math.max(taken.length, 1) };
}

import { criticalPathOf } from './critical-path.js';
import type { Run } from './run.js';
import { spansOf } from './spans.js';
import type { Gap, Span, Timeline } from './views.js';

/** Shorter ones are not worth a fold. */
const SHORTEST_GAP = 1_000;

/** When somebody waited, for what, and which of it mattered. */
export function timelineOf(run: Run): Timeline {
  return run.view(makeTimeline);
}

function makeTimeline(run: Run): Timeline {
  const spans = spansOf(run);
  const { duration } = run;
  return { spans, gaps: gapsOf(spans, duration), ...criticalPathOf(spans, duration), duration };
}

function gapsOf(spans: readonly Span[], duration: number): Gap[] {
  const gaps: Gap[] = [];
  let until = 0;
  const idle = (start: number): void => {
    if (start - until > SHORTEST_GAP) gaps.push({ start: until, end: start });
  };
  for (const { start, end } of spans) {
    idle(start);
    until = Math.max(until, end ?? duration);
  }
  idle(duration);
  return gaps;
}

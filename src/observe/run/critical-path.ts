import type { Span, SpanKind, Timeline } from './views.js';

type Times = Record<SpanKind | 'other', number>;

/*
 * Which spans determined how long a turn took. Found backwards, from the end of the turn: at any moment the span that
 * ended last is the one that was waited for; before its start, it is the one that had ended last then. Of tools that
 * run side by side only the longest is on the path; of tools that the agent ran one after the other, although the
 * model asked for them at once, each is. The time of a span that holds others, such as a tool that waited for a
 * person, is divided in the same way; what is left belongs to itself, or to `other` in a turn.
 */
export function criticalPathOf(
  spans: readonly Span[],
  now: number,
): Pick<Timeline, 'criticalPath' | 'criticalMs'> {
  const children = new Map<string | undefined, Span[]>();
  for (const span of spans) {
    const siblings = children.get(span.parent);
    if (siblings === undefined) children.set(span.parent, [span]);
    else siblings.push(span);
  }
  const criticalMs: Times = {
    turn: 0,
    model: 0,
    tool: 0,
    person: 0,
    hook: 0,
    subagent: 0,
    compaction: 0,
    other: 0,
  };
  const criticalPath: string[] = [];
  const walk = (owner: Span, from: number, to: number): void => {
    const steps = stepsOf(children.get(owner.id) ?? [], from, to, now);
    let covered = 0;
    for (const { span, start, end } of steps) {
      criticalPath.push(span.id);
      covered += end - start;
      walk(span, start, end);
    }
    criticalMs[owner.kind === 'turn' ? 'other' : owner.kind] += Math.max(0, to - from - covered);
  };
  for (const span of spans) {
    if (span.kind === 'turn') walk(span, span.start, endOf(span, now));
  }
  return { criticalPath, criticalMs };
}

interface Step {
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

/** The chain of siblings that ends at `to`, in order. */
function stepsOf(siblings: readonly Span[], from: number, to: number, now: number): Step[] {
  // By their ends, so that each is looked at once.
  const left = siblings
    .filter((span) => span.facts.isBackground !== true)
    .map((span) => ({ span, end: endOf(span, now), start: Math.max(from, span.start) }))
    .filter(({ start, end }) => end > start && start < to)
    .sort((one, other) => one.end - other.end || other.start - one.start);
  const steps: Step[] = [];
  let at = to;
  while (at > from) {
    const next = lastBefore(left, at);
    if (next === undefined) break;
    left.splice(left.lastIndexOf(next), 1);
    const end = Math.min(next.end, at);
    // It may have been asked for long before the agent came to it.
    const begun = beginningOf(next.span, next.start, end);
    const before = begun === next.start ? undefined : lastBefore(left, begun);
    // The answer that asks for a tool ends a little after the tool has begun: nobody waited for it.
    const isQueued = before !== undefined && before.span.kind !== 'model' && before.end > next.start;
    const start = isQueued ? Math.min(begun, end) : next.start;
    steps.push({ span: next.span, start, end });
    at = start;
  }
  return steps.reverse();
}

/** Takes the one that was open latest before that moment; of several, the one that was open longest. */
function lastBefore(left: readonly Step[], at: number): Step | undefined {
  let best: Step | undefined;
  for (let index = left.length - 1; index >= 0; index -= 1) {
    const each = left[index] as Step;
    if (best !== undefined && each.end < Math.min(best.end, at)) break;
    if (each.start >= at) continue;
    if (best === undefined || each.start < best.start || Math.min(each.end, at) > Math.min(best.end, at)) {
      best = each;
    }
  }
  return best;
}

function beginningOf({ facts }: Span, start: number, end: number): number {
  const begun = facts.handlerStart;
  return typeof begun === 'number' && begun > start && begun < end ? begun : start;
}

function endOf({ end, start }: Span, now: number): number {
  return end ?? Math.max(start, now);
}

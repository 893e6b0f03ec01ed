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
  const children = new Map<string, Candidate[]>();
  // From the last: children begin after who holds them, and are wanted before.
  for (const span of spans.toReversed()) {
    if (span.parent === undefined || span.facts.isBackground === true) continue;
    const end = span.end ?? Math.max(span.start, now);
    const settled = settledAt(span, end, children.get(span.id) ?? []);
    const candidate = { span, start: span.start, end, settled };
    const siblings = children.get(span.parent);
    if (siblings === undefined) children.set(span.parent, [candidate]);
    else siblings.push(candidate);
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
    const steps = stepsOf(children.get(owner.id) ?? [], from, to);
    let covered = 0;
    for (const { span, start, end } of steps) {
      criticalPath.push(span.id);
      covered += end - start;
      walk(span, start, end);
    }
    criticalMs[owner.kind === 'turn' ? 'other' : owner.kind] += Math.max(0, to - from - covered);
  };
  for (const span of spans) {
    if (span.kind === 'turn') walk(span, span.start, span.end ?? Math.max(span.start, now));
  }
  return { criticalPath, criticalMs };
}

interface Step {
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

interface Candidate extends Step {
  /** When it had done what it had to do; its end may have been told later, together with others. */
  readonly settled: number;
}

/** The chain of siblings that ends at `to`, in order. */
function stepsOf(candidates: Candidate[], from: number, to: number): Step[] {
  const left = candidates
    .filter(({ start, end }) => end > start && end > from && start < to)
    .sort((one, other) => one.settled - other.settled || other.start - one.start);
  const steps: Step[] = [];
  let at = to;
  while (at > from) {
    const next = takeLast(left, at);
    if (next === undefined) break;
    const end = Math.min(next.end, at);
    const start = Math.max(from, beginningOf(next, left, end));
    steps.push({ span: next.span, start, end });
    at = start;
  }
  return steps.reverse();
}

/**
 * Takes the one that had settled last at that moment. Who settled later ran beside what is on the path already, unless
 * it is the model: it still spoke when the first of its calls began.
 */
function takeLast(left: Candidate[], at: number): Candidate | undefined {
  for (let last = left.pop(); last !== undefined; last = left.pop()) {
    if (last.settled <= at || (last.span.kind === 'model' && last.start < at)) return last;
  }
  return undefined;
}

/** It may have been asked for long before the agent came to it, because that was busy with another. */
function beginningOf({ span, start }: Candidate, left: readonly Candidate[], end: number): number {
  const begun = span.facts.handlerStart;
  if (typeof begun !== 'number' || begun <= start || begun >= end) return start;
  for (let index = left.length - 1; index >= 0; index -= 1) {
    const { settled, span: other } = left[index] as Candidate;
    if (settled <= start) break;
    // The model that asked for it still spoke a little when it began; what then happened, a question perhaps, is its own.
    if (settled <= begun && other.kind !== 'model') return begun;
  }
  return start;
}

/** A handler's answer, or what came after it, such as a hook. */
function settledAt({ kind, facts }: Span, end: number, children: readonly Candidate[]): number {
  const { handlerStart, handlerMs } = facts;
  if (kind !== 'tool' || typeof handlerStart !== 'number' || typeof handlerMs !== 'number') return end;
  const last = children.reduce((latest, child) => Math.max(latest, child.end), handlerStart + handlerMs);
  return Math.min(end, last);
}

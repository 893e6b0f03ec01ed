import type { Run } from '../../../observe/run/run.js';
import { timelineOf } from '../../../observe/run/timeline.js';
import type { Span } from '../../../observe/run/views.js';
import { derived } from './derived.js';

export interface ShownAgent {
  /** The id of the call that started it. */
  readonly id: string;
  readonly name: string;
  readonly span: Span;
}

/** The subagents of a run, in the order of their starts. */
export function subagentsOf(run: Run): readonly ShownAgent[] {
  return derived(run, subagentsOf, () =>
    timelineOf(run)
      .spans.filter(({ kind }) => kind === 'subagent')
      .map((span) => ({ id: span.id.slice(span.id.indexOf(':') + 1), name: span.name, span })),
  );
}

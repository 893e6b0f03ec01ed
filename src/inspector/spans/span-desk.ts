import type { Redactor } from '../../observe/redactor.js';
import type { AgentSpan, TapeLine } from '../../observe/tape-format.js';
import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { InspectedRun } from '../runs/inspected-run.js';
import type { ReportedSpan } from './otlp-spans.js';

/** Puts spans that agents report into the runs that they belong to. */
export class SpanDesk {
  /** Reported before the run that they belong to was known. */
  #early: ReportedSpan[] = [];
  readonly #runs = new Map<string, InspectedRun>();
  readonly #redactor: Redactor;

  /** Spans come past the process that records, and so past what that hides. */
  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Returns how many could not be taken. */
  report(spans: readonly ReportedSpan[]): number {
    let refused = 0;
    for (const each of spans) {
      const run = this.#runs.get(each.session);
      if (run === undefined) this.#early.push(each);
      else if (!this.#add(run, each.span)) refused += 1;
    }
    const surplus = Math.max(0, this.#early.length - LIMITS.maxEarlySpans);
    this.#early.splice(0, surplus);
    return refused + surplus;
  }

  /** A run belongs to these sessions. A session that is resumed belongs to the run that came last. */
  join(run: InspectedRun, sessions: readonly string[]): void {
    if (sessions.length === 0) return;
    for (const session of sessions) this.#runs.set(session, run);
    const waiting = this.#early;
    this.#early = waiting.filter(({ session }) => !sessions.includes(session));
    for (const { session, span } of waiting) if (sessions.includes(session)) this.#add(run, span);
  }

  forget(run: InspectedRun): void {
    for (const session of run.sessions) if (this.#runs.get(session) === run) this.#runs.delete(session);
  }

  #add(run: InspectedRun, span: AgentSpan): boolean {
    const { startedAt } = run;
    if (startedAt === undefined || run.spanCount >= LIMITS.maxSpansOfRun) return false;
    run.spanCount += 1;
    const since = (at: number): number => Math.round((at - startedAt) * 1000) / 1000;
    const line: TapeLine = {
      kind: 'span',
      t: Math.max(0, since(clock.now())),
      span: { ...span, start: since(span.start), end: since(span.end) },
    };
    run.spans.push(`${this.#redactor.line(JSON.stringify(line))}\n`);
    return true;
  }
}

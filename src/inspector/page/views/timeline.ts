import { html, type TemplateResult } from 'lit-html';
import type { Run } from '../../../observe/run/run.js';
import { timelineOf } from '../../../observe/run/timeline.js';
import type { Gap, Span, SpanKind, Timeline } from '../../../observe/run/views.js';
import { duration } from '../format.js';
import { styled } from '../parts/dom.js';
import { empty, kindMark } from '../parts/pieces.js';
import { derived } from '../state/derived.js';
import { currentEntry, currentRun, isLive, subagent, touch, world } from '../state/store.js';
import type { RunEntry } from '../state/world.js';
import { chart } from '../timeline/chart.js';
import { lanesOf } from '../timeline/lanes.js';
import { FoldedTime, roundEnd } from '../timeline/scale.js';
import { spanList } from '../timeline/span-list.js';

/** Often enough to see something grow. */
const TICK_MS = 100;
let ticker: ReturnType<typeof setTimeout> | undefined;

export function timelineView(): TemplateResult {
  const entry = currentEntry();
  const run = currentRun();
  if (entry === undefined || run === undefined) return nothingYet();
  const timeline = derived(run, timelineOf, timelineOf);
  const spans = derived(run, spansShown, () => spansShown(timeline.spans), subagent.value);
  if (spans.length === 0) {
    return empty(
      'Nothing has happened yet',
      'As soon as the agent is asked something, its turns, model requests, tools, hooks and permissions appear here.',
    );
  }
  const now = nowOf(entry, run, timeline);
  const isGrowing = now > timeline.duration;
  const end = isLive() && !run.isOver ? roundEnd(now) : Math.max(now, 1);
  const folded = new FoldedTime(
    end,
    gapsUntil(timeline.gaps, timeline.duration, isGrowing ? now : undefined),
  );
  const { placed, lanes } = derived(run, lanesOf, () => lanesOf(spans, Number.POSITIVE_INFINITY), spans);
  const critical = derived(run, 'critical', () => new Set(timeline.criticalPath));
  return html`<div class="view timeline-view">
    ${whereTimeWent(timeline)}
    ${chart({ placed, lanes, folded, gaps: timeline.gaps, critical, now, isLive: isGrowing })}
    ${spanList(spans, critical, now)}
  </div>`;
}

/** What belongs to one subagent, if one is chosen. */
function spansShown(spans: readonly Span[]): readonly Span[] {
  const chosen = subagent.value;
  if (chosen === undefined) return spans;
  const kept = new Set([`tool:${chosen}`]);
  return spans.filter(({ id, parent }) => {
    if (parent !== undefined && kept.has(parent)) kept.add(id);
    return kept.has(id);
  });
}

/** While something is open, time goes on without lines. */
function nowOf(entry: RunEntry, run: Run, { spans, duration: until }: Timeline): number {
  const isOpen = isLive() && !run.isOver && spans.some(({ status }) => status === 'open');
  if (!isOpen) return until;
  ticker ??= setTimeout(() => {
    ticker = undefined;
    touch();
  }, TICK_MS);
  return until + Math.max(performance.now() - entry.lastAt, 0);
}

/** A gap at the end goes on as well. */
function gapsUntil(gaps: readonly Gap[], until: number, now: number | undefined): readonly Gap[] {
  const last = gaps.at(-1);
  if (now === undefined || last === undefined || last.end < until) return gaps;
  return [...gaps.slice(0, -1), { start: last.start, end: now }];
}

const KIND_WORDS: readonly (readonly [SpanKind | 'other', string])[] = [
  ['model', 'model'],
  ['tool', 'tools'],
  ['person', 'people'],
  ['hook', 'hooks'],
  ['subagent', 'subagents'],
  ['compaction', 'compaction'],
  ['other', 'between'],
];

/** The critical path, added up: what would have to be faster. */
function whereTimeWent({ criticalMs }: Timeline): TemplateResult {
  const parts = KIND_WORDS.map(([kind, word]) => ({ kind, word, ms: criticalMs[kind] ?? 0 }));
  const all = Math.max(
    parts.reduce((sum, { ms }) => sum + ms, 0),
    1,
  );
  const shown = parts.filter(({ ms }) => ms / all >= 0.002);
  return html`<section class="time-went" aria-label="Where the time went">
    <div class="time-bar" aria-hidden="true">
      ${shown.map(
        ({ kind, ms }) =>
          html`<i class="fill kind-${kind}" ${styled({ 'flex-grow': String(ms / all) })}></i>`,
      )}
    </div>
    <ul>
      ${shown.map(
        ({ kind, word, ms }) =>
          html`<li>${kindMark(kind)}${word} <b>${duration(ms)}</b> <span>${Math.round((ms / all) * 100)} %</span></li>`,
      )}
    </ul>
  </section>`;
}

function nothingYet(): TemplateResult {
  const { hello } = world.value;
  if (hello?.source === 'playground')
    return empty('Nothing yet', 'Write something to the agent, and its run appears here.');
  return empty(
    'Waiting for a conversation',
    'Every query() of the program appears here as soon as it begins. A program that never asks an agent shows nothing.',
    'tenon inspect -- node app.mjs',
  );
}

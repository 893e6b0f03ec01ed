import { html, nothing, type TemplateResult } from 'lit-html';
import type { Span } from '../../../observe/run/views.js';
import { clockTime, duration } from '../format.js';
import { kindMark, statusWord, toolName } from '../parts/pieces.js';
import { VirtualList } from '../parts/virtual-list.js';
import { filter, isLive, open, selected } from '../state/store.js';

export const spanRows = new VirtualList('span', 28);

/** The spans as rows: what the drawing shows, for keys and for those who do not see it. */
export function spanList(spans: readonly Span[], critical: ReadonlySet<string>, now: number): TemplateResult {
  const words = filter.value.toLowerCase();
  const shown = words === '' ? spans : spans.filter((span) => matches(span, words));
  const id = selected.value?.kind === 'span' ? selected.value.id : undefined;
  const select = (index: number): void => {
    const span = shown[index];
    if (span !== undefined) selected.value = { kind: 'span', id: span.id };
  };
  return html`<div class="span-list">
    <div class="row-head span-row" aria-hidden="true">
      <span>start</span><span>what</span><span></span><span class="right">took</span>
    </div>
    ${spanRows.render({
      count: shown.length,
      label: 'Spans',
      follows: isLive(),
      selected: id === undefined ? -1 : shown.findIndex((span) => span.id === id),
      row: (index) => row(shown[index], critical, now),
      rowClass: (index) => `span-row depth-${shown[index]?.kind === 'turn' ? 0 : 1}`,
      select,
      open: (index) => {
        const span = shown[index];
        if (span !== undefined) open({ kind: 'span', id: span.id });
      },
    })}
  </div>`;
}

function row(span: Span | undefined, critical: ReadonlySet<string>, now: number): TemplateResult {
  if (span === undefined) return html``;
  const isTool = span.kind === 'tool' || span.kind === 'person';
  return html`<span class="time">${clockTime(span.start)}</span>
    <span class="what">
      ${kindMark(span.kind)}<span class="kind-word">${span.kind}</span>
      ${isTool ? toolName(span.name) : html`<span class="clip">${span.name}</span>`}
    </span>
    <span class="note">${noteOf(span)}${critical.has(span.id) ? html`<i class="critical">critical</i>` : nothing}</span>
    <span class="time right">${duration((span.end ?? now) - span.start)}</span>`;
}

function noteOf({ status, facts }: Span): TemplateResult | typeof nothing {
  if (status !== 'ok') return statusWord(status);
  const { decision, attempts } = facts;
  if (typeof decision === 'string') return html`<span class="status">${decision}</span>`;
  return typeof attempts === 'number' ? html`<span class="status">${attempts} attempts</span>` : nothing;
}

function matches({ name, kind, status }: Span, words: string): boolean {
  return `${kind} ${name} ${status}`.toLowerCase().includes(words);
}

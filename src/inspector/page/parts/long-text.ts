import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { whole } from '../format.js';

const MOST = 1_500;
const unfolded = signal<ReadonlySet<string>>(new Set());

/** A text as it is, of which the beginning is shown if it is long. `place` tells texts apart. */
export function longText(text: string, place: string): TemplateResult {
  const isLong = text.length > MOST;
  const isCut = isLong && !unfolded.value.has(place);
  const toggle = (): void => {
    const next = new Set(unfolded.value);
    if (!next.delete(place)) next.add(place);
    unfolded.value = next;
  };
  const button = html`<button class="more" @click=${toggle}
    >${isCut ? `all ${whole(text.length)} characters` : 'less'}</button
  >`;
  return html`<div class="long-text">${isCut ? `${text.slice(0, MOST)}…` : text}</div>${isLong ? button : nothing}`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import { filter, isPlaying, show, VIEWS, view, world } from '../state/store.js';
import { icon } from './icons.js';
import type { Content } from './pieces.js';

/** Views in which a filter means something. */
const FILTERED = new Set<string>(['timeline', 'messages', 'tools', 'wire']);

export function tabs(): TemplateResult {
  return html`<nav class="tabs" aria-label="Views">
    <div role="tablist" class="tab-list" aria-label="Views">
      ${playTab()}
      ${VIEWS.map((name, index) => tab(name, `${name[0]?.toUpperCase()}${name.slice(1)}`, String(index + 1)))}
    </div>
    ${FILTERED.has(view.value) && !isPlaying.value ? filterField() : nothing}
  </nav>`;
}

function tab(name: (typeof VIEWS)[number], label: string, key: string): TemplateResult {
  const isOn = view.value === name && !isPlaying.value;
  return html`<button
    role="tab"
    id="tab-${name}"
    aria-selected=${isOn}
    aria-controls="view"
    aria-keyshortcuts=${key}
    title="${label} (${key})"
    @click=${() => show(name)}
  >
    ${label}
  </button>`;
}

/** Seen only where the window is too narrow for a column of its own. */
function playTab(): Content {
  if (world.value.playground === undefined) return nothing;
  const play = (): void => {
    isPlaying.value = true;
  };
  return html`<button role="tab" id="tab-play" class="only-narrow" aria-selected=${isPlaying.value}
    aria-controls="view" @click=${play}>Play</button>`;
}

function filterField(): TemplateResult {
  const type = (event: Event): void => {
    filter.value = (event.target as HTMLInputElement).value;
  };
  return html`<label class="filter">
    ${icon('search')}
    <input
      id="filter"
      type="search"
      placeholder="Filter"
      aria-label="Filter"
      autocomplete="off"
      spellcheck="false"
      .value=${filter.value}
      @input=${type}
    />
    <kbd aria-hidden="true">/</kbd>
  </label>`;
}

import { html, svg, type TemplateResult } from 'lit-html';

/** Drawn on 16 × 16, in lines. */
const PATHS = {
  export: svg`<path d="M8 10V2m0 0L5 5m3-3 3 3M3 10v3.5h10V10"/>`,
  theme: svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor"/>`,
  help: svg`<circle cx="8" cy="8" r="6.2"/><path d="M6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.5.3-.8.6-.8 1.3M8 11.2v.3"/>`,
  close: svg`<path d="m4 4 8 8m0-8-8 8"/>`,
  search: svg`<circle cx="7" cy="7" r="4.2"/><path d="m10.2 10.2 3.3 3.3"/>`,
  warning: svg`<path d="M8 2.2 14.3 13H1.7zM8 6.4v3.2m0 1.6v.3"/>`,
  done: svg`<path d="m3 8.4 3.3 3.3L13 4.8"/>`,
  running: svg`<circle cx="8" cy="8" r="5.8"/><path d="M8 4.8V8l2.2 1.6"/>`,
  stopped: svg`<circle cx="8" cy="8" r="5.8"/><path d="M6 6h4v4H6z" fill="currentColor"/>`,
  send: svg`<path d="M2.5 8h10m-4-4 4 4-4 4"/>`,
} as const;

export function icon(name: keyof typeof PATHS): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${PATHS[name]}</svg>`;
}

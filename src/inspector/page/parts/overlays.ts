import { html, nothing, type TemplateResult } from 'lit-html';
import { exportHtml, exportOtlp, exportTape } from '../export/exports.js';
import { savedFeed } from '../state/server.js';
import { notice, overlay, say } from '../state/store.js';
import { attached } from './dom.js';
import { icon } from './icons.js';
import type { Content } from './pieces.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['1 – 7', 'the views'],
  ['j / k', 'down, up; also the arrow keys'],
  ['Home / End', 'first, last'],
  ['Enter', 'open the detail'],
  ['Esc', 'close what is open'],
  ['/', 'filter'],
  ['g t', 'to the answer of a request, and back'],
  ['+ − 0', 'zoom the timeline; ← and → move it'],
  ['y a n v', 'answer a permission: yes, always, no, never'],
  ['?', 'this help'],
];

export function overlays(): TemplateResult {
  return html`${overlay.value === 'help' ? dialog('Keys', help()) : nothing}
    ${overlay.value === 'export' ? dialog('Export', exportMenu()) : nothing}
    <div class="notice" role="status">${notice.value ?? nothing}</div>`;
}

/** What had the focus before something came to lie over it. */
let opener: Element | null = null;

function close(): void {
  overlay.value = undefined;
  if (opener instanceof HTMLElement) opener.focus();
}

function opened(element: HTMLElement): void {
  opener = document.activeElement;
  (element as HTMLDialogElement).showModal();
}

/** Keeps the keyboard inside while it is open. */
function dialog(title: string, body: TemplateResult): TemplateResult {
  const clicked = (event: Event): void => {
    if (event.target === event.currentTarget) close();
  };
  return html`<dialog class="overlay" aria-label=${title} @close=${close} @click=${clicked} ${attached(opened)}>
    <div class="overlay-body">
      <h2>${title}</h2>
      <button class="icon-button detail-close" aria-label="Close" @click=${close}>${icon('close')}</button>
      ${body}
    </div>
  </dialog>`;
}

function help(): TemplateResult {
  return html`<dl class="keys">
    ${KEYS.map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}
  </dl>`;
}

function exportMenu(): TemplateResult {
  const run = (act: () => Promise<void>) => (): void => {
    close();
    act().catch((error: Error) => say(error.message));
  };
  return html`<div class="menu">
    ${item('Page', 'one HTML file with this page and its runs inside; opens anywhere', run(exportHtml))}
    ${savedFeed === null ? item('Tape', 'this run as it was recorded; tenon replay plays it', run(exportTape)) : nothing}
    ${item('OTLP/JSON', 'the spans of this run, for OpenTelemetry', run(exportOtlp))}
  </div>`;
}

function item(name: string, text: string, act: () => void): Content {
  return html`<button class="menu-item" @click=${act}><b>${name}</b><span>${text}</span></button>`;
}

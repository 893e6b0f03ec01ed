import { html, nothing, type TemplateResult } from 'lit-html';
import type { FunnelStepName, SpanKind, SpanStatus } from '../../../observe/run/views.js';
import { toolParts } from '../format.js';
import { say } from '../state/store.js';
import { copyText } from './dom.js';

export type Content = TemplateResult | typeof nothing;

/** A tool as people call it, with its server before it. */
export function toolName(name: string): TemplateResult {
  const { server, tool } = toolParts(name);
  return html`<span class="tool-name" title=${name}
    >${server === undefined ? nothing : html`<span class="of">${server}.</span>`}${tool}</span
  >`;
}

export function kindMark(kind: SpanKind | 'other'): TemplateResult {
  return html`<span class="kind-mark kind-${kind}" aria-hidden="true"></span>`;
}

const STATUS_WORDS: Readonly<Record<SpanStatus, string>> = {
  open: 'still open',
  ok: 'done',
  error: 'failed',
  cut: 'cut off',
};

export function statusWord(status: SpanStatus): TemplateResult {
  return html`<span class="status is-${status}">${STATUS_WORDS[status]}</span>`;
}

export function copyButton(text: () => string, name = 'Copy'): TemplateResult {
  const copy = async (): Promise<void> => {
    say((await copyText(text())) ? 'Copied.' : 'The browser does not let the page copy.');
  };
  return html`<button class="quiet" @click=${copy}>${name}</button>`;
}

/** A sentence in which what stands in backquotes is code. */
export function codeText(text: string): TemplateResult {
  return html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

const BROKEN_WORDS: Readonly<Partial<Record<FunnelStepName, string>>> = {
  ran: 'did not run',
  result: 'no result',
};

/** What is wrong when a step is broken: `not permitted`. */
export function brokenWord(step: FunnelStepName): string {
  return BROKEN_WORDS[step] ?? `not ${step}`;
}

/** A command, to be copied. */
function command(line: string): TemplateResult {
  return html`<span class="command"><code>${line}</code>${copyButton(() => line)}</span>`;
}

/** What would be here, and how it comes here. */
export function empty(title: string, text: string, ...commands: readonly string[]): TemplateResult {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
    ${commands.map((line) => command(line))}
  </div>`;
}

/** Buttons of which one is on. */
export function choice<Value extends string>(
  label: string,
  values: readonly (readonly [Value, string])[],
  current: Value,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${values.map(
      ([value, text]) =>
        html`<button aria-pressed=${value === current} @click=${() => choose(value)}>${text}</button>`,
    )}
  </div>`;
}

import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { messagesOf } from '../../../observe/run/messages.js';
import type { Run } from '../../../observe/run/run.js';
import type { ShownBlock, ShownMessage } from '../../../observe/run/views.js';
import { clockTime, count, whole } from '../format.js';
import { callCard } from '../parts/call-card.js';
import { longText } from '../parts/long-text.js';
import { type Content, empty } from '../parts/pieces.js';
import { currentRun, filter, selected, subagent, version } from '../state/store.js';

/** How many are drawn at once; the rest is a click away. */
const WINDOW = 30;
/** The end of what is shown; undefined: the newest, as they come. */
const lastShown = signal<number | undefined>(undefined);

export function messagesView(): TemplateResult {
  void version.value;
  const run = currentRun();
  const messages = run === undefined ? [] : topMessages(run);
  if (run === undefined || messages.length === 0) {
    return empty(
      'No messages yet',
      'The conversation appears here: prompts, answers, the calls that the model makes and what they gave.',
      'tenon inspect -- node app.mjs',
    );
  }
  const words = filter.value.trim().toLowerCase();
  const matching = words === '' ? messages : messages.filter((message) => matches(message, words));
  const end = Math.min(lastShown.value ?? matching.length, matching.length);
  const start = Math.max(end - WINDOW, 0);
  return html`<div class="view messages-view" tabindex="0" role="region" aria-label="Conversation">
    <div class="messages">
      ${start > 0 ? step(`${whole(start)} earlier`, Math.max(start, WINDOW)) : nothing}
      ${matching.length === 0 ? html`<p class="muted">No message has “${filter.value}” in it.</p>` : nothing}
      ${messageItems(run, matching.slice(start, end), 0)}
      ${end < matching.length ? step(`${whole(matching.length - end)} later`, end + WINDOW) : nothing}
    </div>
  </div>`;
}

function step(text: string, to: number): TemplateResult {
  const go = (): void => {
    lastShown.value = to;
  };
  return html`<button class="more" @click=${go}>${text}</button>`;
}

/** `Home` and `End`. */
export function scrollMessages(to: 'start' | 'end'): void {
  lastShown.value = to === 'end' ? undefined : WINDOW;
  const element = document.querySelector('.messages-view');
  requestAnimationFrame(() => element?.scrollTo({ top: to === 'end' ? element.scrollHeight : 0 }));
}

/** Of the agent that is looked at; what its own subagents say stands within their calls. */
export function topMessages(run: Run): readonly ShownMessage[] {
  return messagesOf(run).filter((message) => message.parent === subagent.value && !isOnlyResults(message));
}

/** Results stand with their calls. */
function isOnlyResults({ blocks }: ShownMessage): boolean {
  return blocks.length > 0 && blocks.every(({ kind }) => kind === 'tool_result');
}

function matches({ blocks, role, note }: ShownMessage, words: string): boolean {
  const text = blocks.map(({ text, tool }) => `${tool ?? ''} ${text}`).join(' ');
  return `${role} ${note ?? ''} ${text}`.toLowerCase().includes(words);
}

const ROLES = { user: 'user', assistant: 'agent', system: 'system', result: 'result' } as const;

/** Whoever goes on is not named again: the agent sends each block of an answer as a message of its own. */
export function messageItems(run: Run, messages: readonly ShownMessage[], depth: number): readonly Content[] {
  const shown = messages.filter(({ role, blocks }) => role !== 'system' || blocks.length > 0);
  return shown.map((message, index) =>
    messageItem(run, message, depth, shown[index - 1]?.role === message.role),
  );
}

function messageItem(run: Run, message: ShownMessage, depth: number, goesOn: boolean): Content {
  const { role, note, t, blocks } = message;
  // The last answer stands above it already.
  const shown = role === 'result' ? blocks.filter(({ isError }) => isError === true) : blocks;
  return html`<article class="message is-${role} ${goesOn ? 'goes-on' : ''}">
    <header>
      ${goesOn ? html`<span class="sr">${ROLES[role]}</span>` : html`<span class="role">${ROLES[role]}</span>`}
      <span class="time" title="seconds since the start">${clockTime(t)}</span>
    </header>
    <div class="blocks">
      ${role === 'result' || role === 'system' ? html`<span class="muted note">${note}</span>` : nothing}
      ${shown.map((block, index) => blockItem(run, block, `${message.frame}.${index}`, depth))}
    </div>
  </article>`;
}

function blockItem(run: Run, block: ShownBlock, place: string, depth: number): Content {
  if (block.kind === 'tool_use') return callCard(run, block, depth, nested);
  if (block.kind === 'tool_result') return nothing;
  if (block.kind === 'thinking') {
    return html`<details class="thinking"><summary>thinking</summary>${longText(block.text, place)}</details>`;
  }
  if (block.kind === 'image' || block.kind === 'other')
    return html`<p class="muted">[${block.kind}: ${block.text}]</p>`;
  return html`<div class="said ${block.isError === true ? 'has-failed' : ''}">${longText(block.text, place)}</div>`;
}

const FEW = 12;

/** What a subagent said, within the call that started it. */
function nested(run: Run, toolUseId: string, depth: number): Content {
  const own = messagesOf(run).filter((message) => message.parent === toolUseId && !isOnlyResults(message));
  if (own.length === 0) return nothing;
  const look = (): void => {
    subagent.value = toolUseId;
    selected.value = undefined;
  };
  return html`<div class="nested">
    ${messageItems(run, own.slice(0, FEW), depth + 1)}
    ${own.length > FEW ? html`<button class="more" @click=${look}>all ${count(own.length, 'message')}</button>` : nothing}
  </div>`;
}

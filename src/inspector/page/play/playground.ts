import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Playground, PromptBody } from '../../feed-lines.js';
import { count } from '../format.js';
import { icon } from '../parts/icons.js';
import { type Content, choice } from '../parts/pieces.js';
import { post } from '../state/server.js';
import { currentRun, say, version, world } from '../state/store.js';
import { messageItems, topMessages } from '../views/messages.js';
import { toolForm } from './tool-form.js';

const side = signal<'chat' | 'tools'>('chat');
const toolWords = signal('');
const LAST_MESSAGES = 30;
/** More would need a filter. */
const FEW_TOOLS = 8;
const MOST_TOOLS = 50;

/** The column of `tenon dev`: talk to the agent, or call a tool by hand. */
export function playground(): Content {
  void version.value;
  const state = world.value.playground;
  if (state === undefined) return nothing;
  const isTools = side.value === 'tools';
  return html`<section class="play" aria-label="Playground">
    <header class="play-head">
      ${choice(
        'Playground',
        [
          ['chat', 'Chat'],
          ['tools', count(state.tools.length, 'tool')],
        ],
        side.value,
        (value) => {
          side.value = value;
        },
      )}
      <span class="muted clip" title=${state.file}>${state.file}${state.loads > 1 ? ` · reloaded ${state.loads - 1}×` : ''}</span>
    </header>
    ${notices(state)} ${isTools ? toolForms(state) : chat(state)}
  </section>`;
}

function notices({ isReal, model, problem }: Playground): TemplateResult {
  return html`<p class="model-notice ${isReal ? '' : 'is-unreal'}" role="status"
      >${isReal ? html`Answers come from <b>${model}</b>.` : html`<b>No real model answers.</b> ${sentence(model)}`}</p
    >
    ${
      problem === undefined
        ? nothing
        : html`<div class="problem" role="alert"><b>The file could not be loaded; the tools are those of before.</b><pre>${problem}</pre></div>`
    }`;
}

/** With a capital and a full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function toolForms({ tools }: Playground): TemplateResult {
  if (tools.length === 0) return html`<p class="play-empty muted">The file has no tools yet.</p>`;
  const words = toolWords.value.trim().toLowerCase();
  const shown = tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(words),
  );
  const type = (event: Event): void => {
    toolWords.value = (event.target as HTMLInputElement).value;
  };
  return html`<div class="play-body" tabindex="0" role="region" aria-label="Tools">
    ${
      tools.length > FEW_TOOLS
        ? html`<input class="play-filter" type="search" aria-label="Filter the tools" placeholder="Filter" .value=${toolWords.value} @input=${type} />`
        : nothing
    }
    ${shown.slice(0, MOST_TOOLS).map((tool) => toolForm(tool))}
    ${shown.length > MOST_TOOLS ? html`<p class="muted">${shown.length - MOST_TOOLS} more: filter them.</p>` : nothing}
  </div>`;
}

function chat(state: Playground): TemplateResult {
  const run = currentRun();
  const messages = run === undefined ? [] : topMessages(run).filter(({ role }) => role !== 'system');
  return html`<div class="play-body chat" tabindex="0" role="log" aria-label="Conversation">
      <div class="messages">
        ${
          run === undefined || messages.length === 0
            ? html`<p class="play-empty muted">Ask something that needs one of the tools.</p>`
            : messageItems(run, messages.slice(-LAST_MESSAGES), 0)
        }
      </div>
    </div>
    ${composer(state)}`;
}

function composer({ isBusy }: Playground): TemplateResult {
  const send = (form: HTMLFormElement): void => {
    const field = form.elements.namedItem('prompt') as HTMLTextAreaElement;
    const text = field.value.trim();
    if (text === '') return;
    post('/api/prompt', { text } satisfies PromptBody).then(
      () => {
        field.value = '';
      },
      (error: Error) => say(error.message),
    );
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    send(event.currentTarget as HTMLFormElement);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const { form } = event.target as HTMLTextAreaElement;
    if (form !== null) send(form);
  };
  const stop = (): void => {
    post('/api/interrupt', {}).catch((error: Error) => say(error.message));
  };
  return html`<form class="composer" @submit=${submit}>
    <textarea name="prompt" rows="2" aria-label="Message to the agent" placeholder="Message to the agent" @keydown=${key}></textarea>
    ${isBusy ? html`<button type="button" @click=${stop}>Stop</button>` : nothing}
    <button class="primary" aria-label="Send">${icon('send')}</button>
  </form>`;
}

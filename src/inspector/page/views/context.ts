import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { contextOf, requestsOf } from '../../../observe/run/context.js';
import type { Run } from '../../../observe/run/run.js';
import type { ModelRequest, RequestContext, ShownBlock } from '../../../observe/run/views.js';
import { count, cut, short, toolParts, whole } from '../format.js';
import { jsonTree } from '../parts/json-tree.js';
import { longText } from '../parts/long-text.js';
import { type Content, copyButton, empty, toolName } from '../parts/pieces.js';
import { VirtualList } from '../parts/virtual-list.js';
import { derived } from '../state/derived.js';
import { currentRun, isLive, requestIndex, subagent } from '../state/store.js';

export const requestList = new VirtualList('request', 44);
/** What is unfolded, by its place. */
const unfolded = signal<ReadonlySet<string>>(new Set(['messages']));
const FIRST_ITEMS = 40;

export function contextView(): TemplateResult {
  const run = currentRun();
  const requests = run === undefined ? [] : derived(run, contextView, () => ofAgent(run), subagent.value);
  if (run === undefined || requests.length === 0) {
    return empty(
      'The model has not been asked anything yet',
      'Each request appears here with everything that the model saw: system prompt, tools, messages.',
      'tenon inspect -- node app.mjs',
    );
  }
  const current = requests.find(({ index }) => index === requestIndex.value) ?? requests.at(-1);
  return html`<div class="view context-view">
    <div class="request-list">
      ${requestList.render({
        count: requests.length,
        label: 'Requests',
        follows: isLive(),
        selected: requests.findIndex(({ index }) => index === current?.index),
        row: (index) => requestRow(requests[index]),
        rowClass: () => 'request-row',
        select: (index) => {
          requestIndex.value = requests[index]?.index;
        },
        open: () => {},
      })}
    </div>
    <div class="context" tabindex="0" role="region" aria-label="What the model saw">${saw(run, current)}</div>
  </div>`;
}

function ofAgent(run: Run): readonly ModelRequest[] {
  const all = requestsOf(run);
  const chosen = subagent.value;
  return chosen === undefined ? all : all.filter(({ parent }) => parent === chosen);
}

function requestRow(request: ModelRequest | undefined): TemplateResult {
  if (request === undefined) return html``;
  const { index, model, usage, parent, error } = request;
  const tokens = usage === undefined ? '' : `${short(usage.input + usage.cacheRead + usage.cacheWrite)} in`;
  const state = error === undefined ? nothing : html`<span class="status is-error">failed</span>`;
  return html`<span class="request-number">${index + 1}</span>
    <span class="request-what"
      ><span class="clip">${parent === undefined ? nothing : '↳ '}${model}</span><span class="text">${tokens} ${state}</span></span
    >`;
}

function saw(run: Run, request: ModelRequest | undefined): Content {
  if (request === undefined) return nothing;
  const context = derived(run, 'context', () => contextOf(run, request.index), request.index);
  if (context === undefined) {
    return empty(
      'This tape does not have what the model saw',
      'The agent was not asked to write its requests down. Record again under the inspector, which asks for it.',
      'tenon inspect -- node app.mjs',
    );
  }
  return html`${changes(context)} ${system(context)} ${tools(context)} ${messages(context)}`;
}

function section(
  name: string,
  title: string,
  size: string,
  body: () => Content,
  copied?: () => string,
): TemplateResult {
  const isOpen = unfolded.value.has(name);
  const toggle = (): void => {
    const next = new Set(unfolded.value);
    if (!next.delete(name)) next.add(name);
    unfolded.value = next;
  };
  return html`<section class="part">
    <h2>
      <button class="fold" aria-expanded=${isOpen} @click=${toggle}>${title} <span class="muted">${size}</span></button>
      ${copied === undefined || !isOpen ? nothing : copyButton(copied)}
    </h2>
    ${isOpen ? html`<div class="part-body">${body()}</div>` : nothing}
  </section>`;
}

function changes({ changes: list, request }: RequestContext): Content {
  if (list.length === 0) {
    return html`<p class="changes is-none">${request.index === 0 ? 'The first request.' : 'Only messages were added since the request before.'}</p>`;
  }
  return html`<div class="changes">
    <h2>Changed since the request before</h2>
    <ul>${list.map((line) => html`<li>${line}</li>`)}</ul>
  </div>`;
}

function system({ system: parts }: RequestContext): TemplateResult {
  const characters = parts.reduce((sum, text) => sum + text.length, 0);
  const size = parts.length === 0 ? 'none' : `${whole(characters)} characters`;
  const body = (): TemplateResult =>
    html`${parts.map((text, index) => html`<div class="said">${longText(text, `system.${index}`)}</div>`)}`;
  return section('system', 'System prompt', size, body, () => parts.join('\n\n'));
}

function tools({ tools: list }: RequestContext): TemplateResult {
  const body = (): TemplateResult =>
    html`<ul class="seen-tools">
      ${list.slice(0, most('tools')).map(
        ({ name, description, schema }) =>
          html`<li>
            <details>
              <summary>${toolName(name)} <span class="text clip">${cut(description, 200)}</span></summary>
              <div class="said">${longText(description, `described.${name}`)}</div>
              ${jsonTree(schema, `schema.${name}`)}
            </details>
          </li>`,
      )}
    </ul>
    ${moreOf('tools', list.length)}`;
  return section('tools', 'Tools', count(list.length, 'tool'), body);
}

function messages({ messages: list }: RequestContext): TemplateResult {
  const added = list.filter(({ isNew }) => isNew).length;
  const first = Math.max(list.length - most('messages'), 0);
  const body = (): TemplateResult =>
    html`${first > 0 ? more('messages', `${whole(first)} earlier`) : nothing}
    ${list.slice(first).map(
      ({ role, blocks, isNew }, index) =>
        html`<div class="seen-message ${isNew ? 'is-new' : ''}">
          <span class="role">${role}${isNew ? html`<i>new</i>` : nothing}</span>
          <div class="blocks">${blocks.map((block, at) => seenBlock(block, `seen.${first + index}.${at}`))}</div>
        </div>`,
    )}`;
  const size =
    added === list.length ? count(list.length, 'message') : `${count(list.length, 'message')}, ${added} new`;
  return section('messages', 'Messages', size, body);
}

function seenBlock({ kind, text, tool }: ShownBlock, place: string): TemplateResult {
  const name = tool === undefined ? nothing : toolParts(tool).tool;
  return html`<div class="seen-block is-${kind}">
    ${kind === 'text' ? nothing : html`<span class="block-kind">${kind} ${name}</span>`}${longText(text, place)}
  </div>`;
}

/** How many items of a list are drawn, after it was asked for more. */
const wanted = signal<ReadonlyMap<string, number>>(new Map());
const most = (name: string): number => wanted.value.get(name) ?? FIRST_ITEMS;

function moreOf(name: string, all: number): Content {
  return all > most(name) ? more(name, `${whole(all - most(name))} more`) : nothing;
}

function more(name: string, text: string): TemplateResult {
  const grow = (): void => {
    wanted.value = new Map(wanted.value).set(name, most(name) * 4);
  };
  return html`<button class="more" @click=${grow}>${text}</button>`;
}

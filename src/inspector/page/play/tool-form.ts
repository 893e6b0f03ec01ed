import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { shownBlocks } from '../../../observe/run/messages.js';
import { isRecord } from '../../../protocol/base/kinds.js';
import type { CallBody, PlaygroundTool } from '../../feed-lines.js';
import { duration } from '../format.js';
import type { Content } from '../parts/pieces.js';
import { valueSection } from '../parts/value-section.js';
import { post } from '../state/server.js';
import { type Change, schemaForm } from './schema-form.js';

type Outcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'done'; readonly result: unknown; readonly ms: number };

const drafts = signal<ReadonlyMap<string, unknown>>(new Map());
const outcomes = signal<ReadonlyMap<string, Outcome>>(new Map());
const openTool = signal<string | undefined>(undefined);

const idOf = ({ server, name }: PlaygroundTool): string => `${server}.${name}`;

/** A tool that can be called by hand. */
export function toolForm(tool: PlaygroundTool): TemplateResult {
  const id = idOf(tool);
  const isOpen = openTool.value === id;
  const toggle = (): void => {
    openTool.value = isOpen ? undefined : id;
  };
  return html`<section class="tool-form">
    <button class="tool-form-head" aria-expanded=${isOpen} @click=${toggle}>
      <span class="tool-name"><span class="of">${tool.server}.</span>${tool.name}</span>
      <span class="text clip">${tool.description}</span>
    </button>
    ${isOpen ? formOf(tool, id) : nothing}
  </section>`;
}

function formOf(tool: PlaygroundTool, id: string): TemplateResult {
  const draft = drafts.value.get(id);
  const change: Change = (from) => {
    drafts.value = new Map(drafts.value).set(id, from(drafts.value.get(id)));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void callTool(tool, drafts.value.get(id));
  };
  const outcome = outcomes.value.get(id);
  return html`<form class="tool-form-body" @submit=${submit} novalidate>
    <p class="muted">${tool.description}</p>
    ${schemaForm(tool.inputSchema, draft, change, id)}
    <button class="primary" ?disabled=${outcome?.kind === 'running'}>Call ${tool.name}</button>
    <div role="status" class="outcome-of-call" id="${id}.outcome">${outcomeOf(outcome, id)}</div>
  </form>`;
}

async function callTool(tool: PlaygroundTool, draft: unknown): Promise<void> {
  const id = idOf(tool);
  const tell = (outcome: Outcome): void => {
    outcomes.value = new Map(outcomes.value).set(id, outcome);
    // When it has been drawn.
    requestAnimationFrame(() =>
      document.getElementById(`${id}.outcome`)?.scrollIntoView({ block: 'nearest' }),
    );
  };
  tell({ kind: 'running' });
  const start = performance.now();
  try {
    const body = {
      server: tool.server,
      tool: tool.name,
      arguments: isRecord(draft) ? draft : {},
    } satisfies CallBody;
    const result = await post('/api/call', body);
    tell({ kind: 'done', result, ms: performance.now() - start });
  } catch (error) {
    tell({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
  }
}

function outcomeOf(outcome: Outcome | undefined, id: string): Content {
  if (outcome === undefined) return nothing;
  if (outcome.kind === 'running') return html`<p class="muted">running …</p>`;
  if (outcome.kind === 'refused') return html`<p class="problem">${outcome.message}</p>`;
  const result = isRecord(outcome.result) ? outcome.result : {};
  const { content, structuredContent, isError } = result;
  const blocks = shownBlocks(content, () => undefined);
  const isEmpty =
    blocks.every(({ kind, text }) => kind === 'text' && text === '') && structuredContent === undefined;
  const took = html`<span class="time">${duration(outcome.ms)}</span>`;
  if (isEmpty) {
    const what =
      isError === true ? 'An error without a word.' : 'An empty result: the tool ran, and gave nothing.';
    return html`<p class="result-head ${isError === true ? 'has-failed' : ''}">${what} ${took}</p>`;
  }
  return html`<p class="result-head ${isError === true ? 'has-failed' : ''}">${isError === true ? 'The tool failed' : 'Result'} ${took}</p>
    ${valueSection('Content', content, `${id}.content`)}
    ${valueSection('Structured content', structuredContent, `${id}.structured`)}`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Run } from '../../../observe/run/run.js';
import { timelineOf } from '../../../observe/run/timeline.js';
import type { FunnelStep, Span, ToolFunnel } from '../../../observe/run/views.js';
import { clockTime, count, duration } from '../format.js';
import { derived } from '../state/derived.js';
import { faultOf } from '../state/funnels.js';
import { open } from '../state/store.js';
import { frameButton } from './frame-button.js';
import { jsonTree } from './json-tree.js';
import { brokenWord, type Content, codeText, copyButton, statusWord, toolName } from './pieces.js';

const STEP_MARKS = { done: '✓', broken: '✕', waiting: '…', unknown: '?', 'not reached': '' } as const;
const MOST_CALLS = 20;

/** Why a tool was, or was not, called. */
export function funnelDetail(run: Run, funnel: ToolFunnel): TemplateResult {
  const { tool, description, inputSchema, steps, broken, calls } = funnel;
  return html`<header class="detail-head">
      <p>${broken === undefined ? 'tool' : calls.length === 0 ? 'why it was not called' : 'what went wrong'}</p>
      <h2>${toolName(tool)}</h2>
      ${description === undefined ? nothing : html`<p class="muted">${description}</p>`}
    </header>
    ${
      broken === undefined
        ? nothing
        : html`<section class="why is-${faultOf(funnel)}" aria-label="Why">
            <p class="why-reason"><b>${brokenWord(broken.step)}:</b> ${codeText(broken.reason)}</p>
            <p class="why-remedy">${codeText(broken.remedy)}</p>
          </section>`
    }
    <ol class="funnel is-${faultOf(funnel)}" aria-label="Steps">${steps.map((step) => stepItem(step))}</ol>
    ${callList(run, calls)}
    ${
      inputSchema === undefined
        ? nothing
        : html`<section class="raw">
            <h3>Schema ${copyButton(() => JSON.stringify(inputSchema, null, 2))}</h3>
            ${jsonTree(inputSchema, `schema.${tool}`)}
          </section>`
    }`;
}

function stepItem({ name, state, detail, frame }: FunnelStep): TemplateResult {
  return html`<li class="is-${state.replace(' ', '-')}">
    <span class="step-mark" aria-hidden="true">${STEP_MARKS[state]}</span>
    <div>
      <b>${name}</b> <span class="sr">${state}</span> ${frame === undefined ? nothing : frameButton(frame, 'frame')}
      ${state === 'not reached' ? nothing : html`<p>${codeText(detail)}</p>`}
    </div>
  </li>`;
}

function callList(run: Run, ids: readonly string[]): Content {
  if (ids.length === 0) return nothing;
  const wanted = new Set(ids);
  const spans = derived(run, timelineOf, timelineOf).spans.filter(({ id }) => wanted.has(id));
  return html`<section>
    <h3>${count(ids.length, 'call')}</h3>
    <ul class="calls">${spans.slice(0, MOST_CALLS).map((span) => callItem(span))}</ul>
    ${ids.length > MOST_CALLS ? html`<p class="muted">and ${ids.length - MOST_CALLS} more, in the timeline</p>` : nothing}
  </section>`;
}

function callItem(span: Span): TemplateResult {
  const { id, start, end, status, facts } = span;
  return html`<li>
    <button @click=${() => open({ kind: 'span', id })}>
      <span class="time">${clockTime(start)}</span>
      <span class="text clip">${JSON.stringify(facts.input)}</span>
      ${status === 'ok' ? nothing : statusWord(status)}
      <span class="time">${end === undefined ? '…' : duration(end - start)}</span>
    </button>
  </li>`;
}

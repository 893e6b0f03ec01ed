import { html, nothing, type TemplateResult } from 'lit-html';
import { shownBlocks } from '../../../observe/run/messages.js';
import type { Run } from '../../../observe/run/run.js';
import type { ShownBlock } from '../../../observe/run/views.js';
import { duration, inline } from '../format.js';
import { open } from '../state/store.js';
import { longText } from './long-text.js';
import { type Content, toolName } from './pieces.js';

/** A call with its input and what it gave. `inner` draws what a subagent said in it. */
export function callCard(
  run: Run,
  block: ShownBlock,
  depth: number,
  inner: (run: Run, toolUseId: string, depth: number) => Content,
): TemplateResult {
  const { tool = 'tool', toolUseId = '', value } = block;
  const call = run.tools.get(toolUseId);
  const look = (): void => open({ kind: 'span', id: `tool:${toolUseId}` });
  const state =
    call?.end === undefined ? (run.isOver ? 'is-cut' : 'is-open') : call.isError ? 'is-error' : 'is-ok';
  const took =
    call?.end === undefined ? nothing : html`<span class="time">${duration(call.end - call.t)}</span>`;
  return html`<section class="call ${state}" aria-label="Call of ${tool}">
    <button class="call-head" @click=${look}>
      ${toolName(tool)}<span class="text clip">${inputLine(value)}</span>${took}
    </button>
    ${inner(run, toolUseId, depth)}
    ${call?.end === undefined ? pending(run) : output(call.content, call.isError, toolUseId)}
  </section>`;
}

/** `product: "hammer", pieces: 2`. */
function inputLine(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return inline(value);
  return inline(
    Object.entries(value)
      .map(([name, item]) => `${name}: ${JSON.stringify(item)}`)
      .join(', '),
  );
}

function pending(run: Run): TemplateResult {
  return html`<p class="call-result muted">${run.isOver ? 'No result: the run ended first.' : 'running …'}</p>`;
}

/** An empty result is a result, and is called so. */
function output(content: unknown, isError: boolean, place: string): TemplateResult {
  const blocks = shownBlocks(content, () => undefined);
  if (blocks.every(({ kind, text }) => kind === 'text' && text === '')) {
    return html`<p class="call-result muted">An empty result.</p>`;
  }
  return html`<div class="call-result ${isError ? 'has-failed' : ''}">
    ${blocks.map((block, index) =>
      block.kind === 'text'
        ? longText(block.text, `${place}.${index}`)
        : html`<p class="muted">[${block.kind}: ${block.text}]</p>`,
    )}
  </div>`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Run } from '../../../observe/run/run.js';
import { timelineOf } from '../../../observe/run/timeline.js';
import type { Span } from '../../../observe/run/views.js';
import { wireRowsOf } from '../../../observe/run/wire.js';
import { clockTime, duration } from '../format.js';
import { derived } from '../state/derived.js';
import { funnelNamed } from '../state/funnels.js';
import { currentRun, isDetailOpen, open, selected, show } from '../state/store.js';
import { selectedLine, toPair } from '../views/wire.js';
import { frameButton } from './frame-button.js';
import { funnelDetail } from './funnel-detail.js';
import { icon } from './icons.js';
import { jsonTree } from './json-tree.js';
import { type Content, copyButton, kindMark, statusWord, toolName } from './pieces.js';
import { valueSection } from './value-section.js';

/** What is selected, at the right; in a narrow window over the page. */
export function detail(): Content {
  if (!isDetailOpen.value || selected.value === undefined) return nothing;
  const run = currentRun();
  const close = (): void => {
    isDetailOpen.value = false;
  };
  return html`<aside class="detail" aria-label="Detail" tabindex="-1">
    <button class="icon-button detail-close" aria-label="Close the detail" title="Close (Esc)" @click=${close}>
      ${icon('close')}
    </button>
    <div class="detail-body" tabindex="0" role="region" aria-label="Detail of what is selected">
      ${run === undefined ? nothing : detailOf(run)}
    </div>
  </aside>`;
}

function detailOf(run: Run): TemplateResult {
  const what = selected.value;
  if (what?.kind === 'tool') return funnelDetail(run, funnelNamed(run, what.name));
  if (what?.kind === 'span') {
    const span = derived(run, timelineOf, timelineOf).spans.find(({ id }) => id === what.id);
    return span === undefined ? gone('This span is not in the run.') : spanDetail(run, span);
  }
  return lineDetail(run);
}

function gone(text: string): TemplateResult {
  return html`<p class="muted">${text}</p>`;
}

const SHOWN_APART = new Set(['input', 'output', 'error']);

function spanDetail(run: Run, span: Span): TemplateResult {
  const { kind, name, status, facts, start, end, firstFrame, lastFrame, id } = span;
  const others = Object.entries(facts).filter(([key]) => !SHOWN_APART.has(key));
  const isTool = kind === 'tool' || kind === 'person';
  const why = (): void => {
    show('tools');
    open({ kind: 'tool', name });
  };
  return html`<header class="detail-head">
      <p>${kindMark(kind)}${kind} ${status === 'ok' ? nothing : statusWord(status)}</p>
      <h2>${isTool ? toolName(name) : name}</h2>
    </header>
    <dl class="facts">
      ${fact('start', `${clockTime(start)} s`)} ${fact('took', end === undefined ? 'still open' : duration(end - start))}
      ${others.map(([key, value]) => fact(words(key), factText(key, value)))}
    </dl>
    ${facts.error === undefined ? nothing : html`<p class="problem">${String(facts.error)}</p>`}
    ${valueSection('Input', facts.input, `${id}.input`)} ${valueSection('Output', facts.output, `${id}.output`)}
    <div class="detail-actions">
      ${kind === 'tool' ? html`<button @click=${why}>Its funnel</button>` : nothing} ${frameButton(firstFrame, 'First frame')}
      ${lastFrame === firstFrame ? nothing : frameButton(lastFrame, 'Last frame')}
    </div>
    ${rawFrames(run, span)}`;
}

function rawFrames(run: Run, { firstFrame, lastFrame, id }: Span): Content {
  const frames = [firstFrame, lastFrame === firstFrame ? undefined : lastFrame]
    .map((n) => (n === undefined ? undefined : run.frames[n - 1]))
    .filter((frame) => frame !== undefined);
  if (frames.length === 0) return nothing;
  return html`<section class="raw">
    <h3>Raw ${copyButton(() => JSON.stringify(frames, null, 2))}</h3>
    ${frames.map((frame) => html`<p class="muted">frame ${frame.n}</p>${jsonTree(frame.frame, `${id}.${frame.n}`)}`)}
  </section>`;
}

function lineDetail(run: Run): TemplateResult {
  const index = selectedLine(run);
  const line = run.lines[index];
  const row = wireRowsOf(run)[index];
  if (line === undefined || row === undefined) return gone('This frame is not in the run.');
  const { pair, state, direction } = row;
  const other = pair === undefined ? undefined : wireRowsOf(run)[pair];
  const arrow =
    direction === '>' ? '→ to the agent' : direction === '<' ? '← from the agent' : 'told by the recorder';
  const content = line.kind === 'frame' ? line.frame : line;
  return html`<header class="detail-head">
      <p>${arrow}</p>
      <h2>${row.type} ${row.name}</h2>
    </header>
    <dl class="facts">
      ${row.n === undefined ? nothing : fact('frame', String(row.n))} ${fact('time', `${clockTime(row.t)} s`)}
      ${row.tool === undefined ? nothing : fact('tool', toolName(row.tool))}
      ${state === undefined ? nothing : fact('answer', state === 'ok' ? 'answered' : state)}
      ${other === undefined ? nothing : fact('took', duration(Math.abs(other.t - row.t)))}
      ${line.kind === 'frame' && line.cut !== undefined ? fact('cut', `was ${line.cut} bytes`) : nothing}
    </dl>
    ${
      other === undefined
        ? nothing
        : html`<div class="detail-actions">
            <button @click=${toPair} aria-keyshortcuts="g t">⇄ ${state === undefined ? 'To its request' : 'To its answer'}</button>
          </div>`
    }
    <section class="raw">
      <h3>Raw ${copyButton(() => JSON.stringify(content, null, 2))}</h3>
      ${jsonTree(content, `line.${index}`)}
    </section>`;
}

function fact(name: string, value: string | TemplateResult): TemplateResult {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** `firstTokenMs` as people say it. */
function words(name: string): string {
  return name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function factText(name: string, value: unknown): string {
  if (typeof value === 'number' && /Ms$/.test(name)) return duration(value);
  if (typeof value === 'number' && /Start$/.test(name)) return `${clockTime(value)} s`;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (value === true) return 'yes';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { stopReasonOf } from '../../../observe/run/stop-reason.js';
import type { StopReason } from '../../../observe/run/views.js';
import { count } from '../format.js';
import { derived } from '../state/derived.js';
import { shownFunnels, worstFunnel } from '../state/funnels.js';
import { connection, currentEntry, filter, open, show, world } from '../state/store.js';
import { icon } from './icons.js';
import { brokenWord, type Content, codeText, toolName } from './pieces.js';

const isUnfolded = signal(false);

const ICONS: Readonly<Record<StopReason['state'], Parameters<typeof icon>[0]>> = {
  running: 'running',
  waiting: 'running',
  finished: 'done',
  failed: 'warning',
  stopped: 'stopped',
};

/** Why it stopped, and what is wrong with a tool: one row that is always there, so that nothing jumps. */
export function banner(): TemplateResult {
  const { state, title, details } = reason();
  const toggle = (): void => {
    isUnfolded.value = !isUnfolded.value;
  };
  return html`<section class="banner is-${state}" aria-label="State of the run">
    <div class="banner-line">
      ${icon(ICONS[state])}<strong role="status">${title}</strong>
      ${
        details.length === 0
          ? nothing
          : html`<button class="quiet" aria-expanded=${isUnfolded.value} @click=${toggle}>
              ${isUnfolded.value ? 'less' : count(details.length, 'detail')}
            </button>`
      }
      ${brokenTool()}
    </div>
    ${
      isUnfolded.value && details.length > 0
        ? html`<ul class="banner-details">${details.map((line) => html`<li>${line}</li>`)}</ul>`
        : nothing
    }
  </section>`;
}

/** What cannot be shown comes before what is shown. */
function reason(): StopReason {
  const { state } = connection.value;
  const entry = currentEntry();
  if (state === 'refused') {
    const details = [
      'Open the address that the terminal has printed: it has the token that belongs to this run.',
    ];
    return { state: 'failed', title: 'The inspector does not know this page', details };
  }
  const { program } = world.value;
  if (state === 'lost' && program?.state !== 'ended') {
    const title = 'The inspector does not answer. What was read stays here; the page keeps trying.';
    return { state: 'failed', title, details: [] };
  }
  if (entry?.broken !== undefined) {
    return { state: 'failed', title: 'The tape cannot be read further', details: [entry.broken] };
  }
  if (entry?.run === undefined) return waitingFor(program?.state === 'ended');
  return derived(entry.run, stopReasonOf, (run) => stopReasonOf(run, program), program);
}

function waitingFor(hasEnded: boolean): StopReason {
  const title = hasEnded ? 'The program ended without a conversation' : 'No conversation has begun yet';
  return { state: hasEnded ? 'stopped' : 'waiting', title, details: [] };
}

function brokenTool(): Content {
  const run = currentEntry()?.run;
  if (run === undefined) return nothing;
  const worst = derived(run, worstFunnel, () => worstFunnel(shownFunnels(run)));
  if (worst?.broken === undefined) return nothing;
  const why = (): void => {
    filter.value = '';
    show('tools');
    open({ kind: 'tool', name: worst.tool });
  };
  return html`<span class="banner-tool"
    >${icon('warning')}<span class="banner-reason">${toolName(worst.tool)} ${brokenWord(worst.broken.step)}: ${codeText(worst.broken.reason)}</span
    ><button class="link" @click=${why}>why?</button></span
  >`;
}

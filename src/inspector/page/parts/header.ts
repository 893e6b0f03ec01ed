import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { totalsOf } from '../../../observe/run/totals.js';
import { count, cut, dollars, duration, short } from '../format.js';
import { derived } from '../state/derived.js';
import {
  connection,
  currentEntry,
  isLive,
  overlay,
  requestIndex,
  runNumber,
  selected,
  subagent,
  world,
} from '../state/store.js';
import { subagentsOf } from '../state/subagents.js';
import { toggleTheme } from '../state/theme.js';
import type { RunEntry } from '../state/world.js';
import { icon } from './icons.js';
import type { Content } from './pieces.js';

export function header(): TemplateResult {
  const { hello } = world.value;
  return html`<header class="head">
    <div class="brand">${mark()}<span>tenon</span></div>
    ${liveDot()}
    <h1 title=${hello?.title ?? ''}>${hello?.title ?? 'inspector'}</h1>
    ${runChooser()} ${agentChooser()}
    <div class="totals" role="group" aria-label="Totals of the run">${totals()}</div>
    <div class="head-actions">
      ${action('export', 'Export', () => {
        overlay.value = overlay.value === 'export' ? undefined : 'export';
      })}
      ${action('theme', 'Light or dark', toggleTheme)}
      ${action('help', 'Keys and help', () => {
        overlay.value = 'help';
      })}
    </div>
  </header>`;
}

function mark(): TemplateResult {
  return html`<svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    ${svg`<path d="M0 1h7v4h4v6H7v4H0z"/><path class="other" d="M12 4h4v8h-4zM9 1h7v2H9zM9 13h7v2H9z"/>`}
  </svg>`;
}

function action(name: Parameters<typeof icon>[0], label: string, act: () => void): TemplateResult {
  return html`<button class="icon-button" aria-label=${label} title=${label} id="act-${name}" @click=${act}
    >${icon(name)}</button
  >`;
}

/** Whether something is still to come, in one word. */
function liveDot(): TemplateResult {
  const { state } = connection.value;
  const source = world.value.hello?.source;
  if (isLive()) return dot('live', 'live');
  if (state === 'file') return dot('saved', 'saved');
  // Where nothing more was to come, nothing is lost.
  if (world.value.program?.state === 'ended') return dot('ended', 'ended');
  if (state === 'lost') return dot('lost', 'connection lost');
  if (state === 'refused') return dot('lost', 'refused');
  if (state === 'connecting') return dot('wait', 'connecting');
  return source === 'tape' ? dot('saved', 'tape') : dot('ended', 'ended');
}

function dot(state: string, word: string): TemplateResult {
  return html`<span class="dot is-${state}" role="status">${word}</span>`;
}

function runChooser(): Content {
  const entries = [...world.value.runs.values()];
  const current = currentEntry();
  if (entries.length < 2 || current === undefined) return nothing;
  const choose = (event: Event): void => {
    runNumber.value = Number((event.target as HTMLSelectElement).value);
    selected.value = undefined;
    requestIndex.value = undefined;
    subagent.value = undefined;
  };
  return html`<select class="chooser" aria-label="Run" @change=${choose}>
    ${entries.map(
      (entry) =>
        html`<option value=${entry.number} .selected=${entry === current}>${runLabel(entry)}</option>`,
    )}
  </select>`;
}

export function runLabel({ number, name, run }: RunEntry): string {
  const prompt = run?.turns.all[0]?.prompt;
  // Tapes are told apart by their files, runs of a program by what was asked.
  const isFile = world.value.hello?.source === 'tape';
  const what = isFile || prompt === undefined || prompt === '' ? name : prompt;
  return what === '' ? `run ${number}` : `run ${number} · ${cut(what.replaceAll(/\s+/g, ' '), 40)}`;
}

function agentChooser(): Content {
  const run = currentEntry()?.run;
  const agents = run === undefined ? [] : subagentsOf(run);
  if (agents.length === 0) return nothing;
  const choose = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    subagent.value = value === '' ? undefined : value;
    requestIndex.value = undefined;
  };
  return html`<select class="chooser" aria-label="Agent" @change=${choose}>
    <option value="" .selected=${subagent.value === undefined}>all agents</option>
    ${agents.map(
      ({ id, name }) =>
        html`<option value=${id} .selected=${subagent.value === id}>↳ ${cut(name, 32)}</option>`,
    )}
  </select>`;
}

function totals(): Content {
  const run = currentEntry()?.run;
  if (run === undefined) return nothing;
  const { durationMs, requests, usage, costUsd, calls } = derived(run, totalsOf, totalsOf);
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const parts = [
    [duration(durationMs), 'time'],
    [`${requests} req`, count(requests, 'model request')],
    [count(calls, 'call'), count(calls, 'tool call')],
    [`${short(input)} in / ${short(usage.output)} out`, 'tokens, with those from the cache'],
    [dollars(costUsd), 'cost'],
  ];
  return html`${parts.map(([text, title]) => html`<span title=${title ?? ''}>${text}</span>`)}`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { FunnelStep, ToolFunnel } from '../../../observe/run/views.js';
import { count, whole } from '../format.js';
import { brokenWord, codeText, empty, toolName } from '../parts/pieces.js';
import { VirtualList } from '../parts/virtual-list.js';
import { derived } from '../state/derived.js';
import { faultOf, isNamed, shownFunnels } from '../state/funnels.js';
import { currentRun, filter, open, selected } from '../state/store.js';

export const toolList = new VirtualList('tool', 52);

export function toolsView(): TemplateResult {
  const run = currentRun();
  const funnels = run === undefined ? [] : derived(run, toolsView, () => sorted(shownFunnels(run)));
  if (funnels.length === 0) {
    return empty(
      'No tools are known yet',
      'Tools appear here when a server lists them, or when the agent says which ones it has.',
      'tenon inspect -- node app.mjs',
    );
  }
  const words = filter.value.trim().toLowerCase();
  const shown = words === '' ? funnels : funnels.filter((funnel) => matches(funnel, words));
  const name = selected.value?.kind === 'tool' ? selected.value.name : undefined;
  const broken = funnels.filter((funnel) => faultOf(funnel) === 'grave').length;
  return html`<div class="view tools-view">
    <div class="row-head tool-row" aria-hidden="true">
      <span>tool</span>${stepNames(funnels[0])}<span>what became of it</span>
    </div>
    ${toolList.render({
      count: shown.length,
      label: 'Tools',
      selected: name === undefined ? -1 : shown.findIndex(({ tool }) => isNamed(tool, name)),
      row: (index) => row(shown[index]),
      rowClass: (index) => rowClass(shown[index]),
      select: (index) => {
        const tool = shown[index]?.tool;
        if (tool !== undefined) selected.value = { kind: 'tool', name: tool };
      },
      open: (index) => {
        const tool = shown[index]?.tool;
        if (tool !== undefined) open({ kind: 'tool', name: tool });
      },
    })}
    <p class="list-foot" role="status">
      ${words === '' ? count(funnels.length, 'tool') : `${whole(shown.length)} of ${count(funnels.length, 'tool')}`}${
        broken === 0 ? '' : `, ${broken} with a broken step`
      }
    </p>
  </div>`;
}

const FAULTS = { grave: 0, mild: 4, none: 2 } as const;

/** What is broken first, then what was called; the agent's own tools come last. */
function sorted(funnels: readonly ToolFunnel[]): readonly ToolFunnel[] {
  const weight = (funnel: ToolFunnel): number => {
    const fault = faultOf(funnel);
    const isCalled = funnel.calls.length > 0;
    return FAULTS[fault] + ((fault === 'grave') === isCalled ? 1 : 0) + (funnel.server === undefined ? 8 : 0);
  };
  return [...funnels].sort((left, right) => weight(left) - weight(right));
}

function rowClass(funnel: ToolFunnel | undefined): string {
  return funnel === undefined ? 'tool-row' : `tool-row is-fault-${faultOf(funnel)}`;
}

function matches({ tool, description, broken }: ToolFunnel, words: string): boolean {
  return `${tool} ${description ?? ''} ${broken?.reason ?? ''}`.toLowerCase().includes(words);
}

function stepNames(funnel: ToolFunnel | undefined): TemplateResult {
  const names = funnel?.steps.map(({ name }) => name) ?? [];
  return html`<span class="steps-head">${names[0]} → ${names.at(-1)}</span>`;
}

function row(funnel: ToolFunnel | undefined): TemplateResult {
  if (funnel === undefined) return html``;
  const { tool, description, steps } = funnel;
  return html`<span class="tool-cell">${toolName(tool)}<span class="text clip">${description ?? ''}</span></span>
    ${stepDots(steps)} ${outcome(funnel)}`;
}

/** A dot for each step; in words for those who do not see dots. */
function stepDots(steps: readonly FunnelStep[]): TemplateResult {
  const words = steps.map(({ name, state }) => `${name}: ${state}`).join(', ');
  return html`<span class="steps" role="img" aria-label=${words}
    >${steps.map(({ name, state }) => html`<i class="step is-${state.replace(' ', '-')}" title="${name}: ${state}"></i>`)}</span
  >`;
}

function outcome(funnel: ToolFunnel): TemplateResult {
  const { broken, calls, failed, steps } = funnel;
  if (broken !== undefined && faultOf(funnel) !== 'none') {
    return html`<span class="outcome"><b>${brokenWord(broken.step)}</b><span class="clip">${codeText(broken.reason)}</span></span>`;
  }
  if (calls.length > 0) {
    const failures = failed === 0 ? nothing : html`<span class="status is-error">${failed} failed</span>`;
    return html`<span class="outcome"><b>${count(calls.length, 'call')}</b>${failures}</span>`;
  }
  const waits = steps.some(({ state }) => state === 'waiting');
  return html`<span class="outcome muted">${waits ? 'not called yet' : 'not called'}</span>`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import { costOf } from '../../../observe/run/cost.js';
import type { CostReport, ModelRequest, TokenUsage } from '../../../observe/run/views.js';
import { count, dollars, duration, whole } from '../format.js';
import { styled } from '../parts/dom.js';
import { type Content, empty, toolName } from '../parts/pieces.js';
import { derived } from '../state/derived.js';
import { currentRun, requestIndex, show } from '../state/store.js';

const FIRST_ROWS = 30;

export function costView(): TemplateResult {
  const run = currentRun();
  const report = run === undefined ? undefined : derived(run, costOf, costOf);
  if (report === undefined || report.requests.length === 0) {
    return empty(
      'Nothing has been asked of a model yet',
      'Tokens and cost appear here for each request, by model, by cache class and by tool.',
      'tenon run "…" --record run.tape',
    );
  }
  return html`<div class="view cost-view" tabindex="0" role="region" aria-label="Cost">
    ${summary(report)}
    <div class="cost-tables">${byModel(report)} ${byRequest(report)} ${byTool(report)}</div>
  </div>`;
}

const CLASSES: readonly (readonly [keyof TokenUsage, string, string])[] = [
  ['cacheRead', 'read from the cache', 'cache-read'],
  ['cacheWrite', 'written to the cache', 'cache-write'],
  ['input', 'input', 'input'],
  ['output', 'output', 'output'],
];

function summary({ total, reportedUsd, requests }: CostReport): TemplateResult {
  const all = Math.max(total.input + total.output + total.cacheRead + total.cacheWrite, 1);
  return html`<section class="cost-summary">
    <p class="figure">
      <b>${reportedUsd === undefined ? '—' : dollars(reportedUsd)}</b>
      <span>${reportedUsd === undefined ? 'no cost is known: the price of a model is missing, or no turn is over' : `for ${count(requests.length, 'request')}${whose(requests)}`}</span>
    </p>
    <div class="time-bar" aria-hidden="true">
      ${CLASSES.map(([name, , css]) => html`<i class="fill token-${css}" ${styled({ 'flex-grow': String(total[name] / all) })}></i>`)}
    </div>
    <ul class="token-legend">
      ${CLASSES.map(
        ([name, word, css]) =>
          html`<li><span class="kind-mark token-${css}" aria-hidden="true"></span>${word} <b>${whole(total[name])}</b></li>`,
      )}
    </ul>
  </section>`;
}

/** The line at the top counts the tokens of the agent alone, as its result does. */
function whose(requests: readonly ModelRequest[]): string {
  return requests.some(({ parent }) => parent !== undefined) ? ', those of subagents included' : '';
}

function usageCells({ input, output, cacheRead, cacheWrite }: TokenUsage): TemplateResult {
  return html`<td>${whole(input)}</td><td>${whole(cacheRead)}</td><td>${whole(cacheWrite)}</td><td>${whole(output)}</td>`;
}

const USAGE_HEADS = html`<th scope="col">input</th><th scope="col">cache read</th><th scope="col">cache write</th><th scope="col">output</th>`;

function byModel({ models }: CostReport): Content {
  if (models.length === 0) return nothing;
  return table(
    'By model',
    html`<th scope="col" class="wide">model</th>${USAGE_HEADS}<th scope="col">cost</th>`,
    models.map(
      ({ model, usage, costUsd }) =>
        html`<tr><th scope="row">${model}</th>${usageCells(usage)}<td>${dollars(costUsd)}</td></tr>`,
    ),
  );
}

function byRequest({ requests }: CostReport): TemplateResult {
  const shown = requests.slice(-FIRST_ROWS);
  const hidden = requests.length - shown.length;
  const hasPrices = requests.some(({ costUsd }) => costUsd !== undefined);
  return table(
    hidden === 0 ? 'By request' : `By request, the last ${FIRST_ROWS} of ${whole(requests.length)}`,
    html`<th scope="col" class="wide">request</th>${USAGE_HEADS}<th scope="col">took</th>${hasPrices ? html`<th scope="col">cost</th>` : nothing}`,
    shown.map((request) => requestRow(request, hasPrices)),
    hasPrices ? undefined : 'The run tells what its models cost together, not what each request did.',
  );
}

function requestRow(request: ModelRequest, hasPrices: boolean): TemplateResult {
  const { index, model, usage, start, end, costUsd, error, parent } = request;
  const look = (): void => {
    requestIndex.value = index;
    show('context');
  };
  const none = html`<td colspan="4" class="muted">${error ?? 'tokens are not known'}</td>`;
  return html`<tr class=${error === undefined ? '' : 'has-failed'}>
    <th scope="row"><button class="link" @click=${look}>${index + 1}</button> ${model}${parent === undefined ? nothing : html` <span class="muted">subagent</span>`}</th>
    ${usage === undefined ? none : usageCells(usage)}
    <td>${end === undefined ? '…' : duration(end - start)}</td>
    ${hasPrices ? html`<td>${usage === undefined ? '' : dollars(costUsd)}</td>` : nothing}
  </tr>`;
}

function byTool({ tools }: CostReport): Content {
  if (tools.length === 0) return nothing;
  const shown = [...tools].sort((left, right) => right.resultChars - left.resultChars).slice(0, FIRST_ROWS);
  return table(
    'By tool: what results put into the context',
    html`<th scope="col" class="wide">tool</th><th scope="col">calls</th><th scope="col">characters</th><th scope="col">time</th>`,
    shown.map(
      ({ tool, calls, resultChars, ms }) =>
        html`<tr><th scope="row">${toolName(tool)}</th><td>${whole(calls)}</td><td>${whole(resultChars)}</td><td>${duration(ms)}</td></tr>`,
    ),
  );
}

function table(
  caption: string,
  heads: TemplateResult,
  rows: readonly TemplateResult[],
  note?: string,
): TemplateResult {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <caption>${caption}${note === undefined ? nothing : html`<span class="muted">${note}</span>`}</caption>
    <thead><tr>${heads}</tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`;
}

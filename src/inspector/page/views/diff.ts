import { html, nothing, type TemplateResult } from 'lit-html';
import { compareRuns } from '../../../observe/run/compare.js';
import type { RunComparison } from '../../../observe/run/views.js';
import { whole } from '../format.js';
import { runLabel } from '../parts/header.js';
import { longText } from '../parts/long-text.js';
import { empty } from '../parts/pieces.js';
import { derived } from '../state/derived.js';
import { currentEntry, otherRun, runNumber, world } from '../state/store.js';
import type { RunEntry } from '../state/world.js';

const MOST = 60;

export function diffView(): TemplateResult {
  const entries = [...world.value.runs.values()].filter(({ run }) => run !== undefined);
  const right = currentEntry();
  const left = leftOf(entries, right);
  if (left?.run === undefined || right?.run === undefined) {
    return empty(
      'Two runs can be compared here',
      'This page has one. Run the program again, or open two tapes together.',
      'tenon inspect before.tape after.tape',
    );
  }
  const [before, after] = [left.run, right.run];
  // The other run grows as well.
  const comparison = derived(
    after,
    diffView,
    () => compareRuns(before, after),
    `${left.number} ${before.revision}`,
  );
  return html`<div class="view diff-view" tabindex="0" role="region" aria-label="Difference">
    <div class="diff-choosers">
      ${chooser('Before', entries, left, (number) => {
        otherRun.value = number;
      })}
      <span aria-hidden="true">→</span>
      ${chooser('After', entries, right, (number) => {
        otherRun.value = left.number;
        runNumber.value = number;
      })}
    </div>
    ${differences(comparison)} ${figures(comparison)}
  </div>`;
}

/** The one that was chosen, or the one before. */
function leftOf(entries: readonly RunEntry[], right: RunEntry | undefined): RunEntry | undefined {
  const chosen = entries.find(({ number }) => number === otherRun.value);
  if (chosen !== undefined && chosen !== right) return chosen;
  const at = right === undefined ? -1 : entries.indexOf(right);
  return entries[at - 1] ?? entries.find((entry) => entry !== right);
}

function chooser(
  label: string,
  entries: readonly RunEntry[],
  current: RunEntry,
  choose: (number: number) => void,
): TemplateResult {
  const change = (event: Event): void => choose(Number((event.target as HTMLSelectElement).value));
  return html`<label>${label}
    <select class="chooser" @change=${change}>
      ${entries.map(
        (entry) =>
          html`<option value=${entry.number} .selected=${entry === current}>${runLabel(entry)}</option>`,
      )}
    </select>
  </label>`;
}

function differences({ differences: list }: RunComparison): TemplateResult {
  if (list.length === 0)
    return html`<p class="diff-none">The two runs do not differ in anything that was recorded.</p>`;
  const hidden = list.length - MOST;
  return html`<ol class="differences">
      ${list.slice(0, MOST).map(
        ({ where, left, right }, index) =>
          html`<li class=${index === 0 ? 'is-first' : ''}>
            <h2>${where}${index === 0 ? html`<i>explains the most</i>` : nothing}</h2>
            <div class="sides">
              <div class="side is-left"><b>before</b>${longText(left === '' ? '(nothing)' : left, `left.${index}`)}</div>
              <div class="side is-right"><b>after</b>${longText(right === '' ? '(nothing)' : right, `right.${index}`)}</div>
            </div>
          </li>`,
      )}
    </ol>
    ${hidden > 0 ? html`<p class="muted">${whole(hidden)} more differences follow from these.</p>` : nothing}`;
}

function figures({ figures: rows }: RunComparison): TemplateResult {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Figures"><table class="figures">
    <caption>Figures</caption>
    <thead><tr><th scope="col" class="wide"></th><th scope="col">before</th><th scope="col">after</th></tr></thead>
    <tbody>
      ${rows.map(
        ({ name, left, right }) =>
          html`<tr class=${left === right ? '' : 'is-changed'}><th scope="row">${name}</th><td>${left}</td><td>${right}</td></tr>`,
      )}
    </tbody>
  </table></div>`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { AnswerBody, QuestionAnswer } from '../../feed-lines.js';
import { inline } from '../format.js';
import { post } from '../state/server.js';
import { say, version, world } from '../state/store.js';
import { type Content, toolName } from './pieces.js';

const ANSWERS: readonly (readonly [QuestionAnswer, key: string, TemplateResult])[] = [
  ['yes', 'y', html`<u>y</u>es`],
  ['always', 'a', html`<u>a</u>lways`],
  ['no', 'n', html`<u>n</u>o`],
  ['never', 'v', html`ne<u>v</u>er`],
];

/** The permission that somebody must give, at the bottom. The terminal asks as well; the first answer counts. */
export function questionBar(): Content {
  void version.value;
  const [question, ...others] = world.value.questions.values();
  if (question === undefined) return nothing;
  const { id, tool, input } = question;
  const canAnswer = world.value.hello?.control === true;
  return html`<section class="question" aria-label="Permission" role="alertdialog" aria-describedby="asked">
    <p id="asked">
      <b>Run ${toolName(tool)}</b> <code class="clip">${inline(input, 400)}</code>
      ${others.length === 0 ? nothing : html`<span class="muted">and ${others.length} more</span>`}
    </p>
    ${
      canAnswer
        ? html`<div class="answers">
            ${ANSWERS.map(
              ([value, key, label]) =>
                html`<button class="is-${value}" aria-keyshortcuts=${key} @click=${() => answer(id, value)}>${label}</button>`,
            )}
          </div>`
        : html`<p class="muted">Answered in the terminal; to answer here: <code>--inspect=control</code></p>`
    }
  </section>`;
}

/** Whether a key was an answer. */
export function answerByKey(key: string): boolean {
  const [question] = world.value.questions.values();
  const [value] = ANSWERS.find(([, shortcut]) => shortcut === key) ?? [];
  if (question === undefined || value === undefined || world.value.hello?.control !== true) return false;
  answer(question.id, value);
  return true;
}

function answer(id: string, value: QuestionAnswer): void {
  post('/api/answer', { id, answer: value } satisfies AnswerBody).catch((error: Error) => say(error.message));
}

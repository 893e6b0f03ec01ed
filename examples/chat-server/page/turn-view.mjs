// A prompt and what came of it.

import { inputOf, stateOf } from './conversation.mjs';
import { element, icon } from './dom.mjs';
import { showMarkdown } from './markdown.mjs';
import { questionView } from './question-view.mjs';
import { sync } from './sync.mjs';
import { inputList, nameOf, preview } from './values.mjs';

/**
 * @typedef {import('./conversation.mjs').Turn} Turn
 * @typedef {import('./conversation.mjs').Part} Part
 * @typedef {import('./conversation.mjs').ToolPart} ToolPart
 */

/** @param {Turn} first @returns {import('./sync.mjs').View<Turn>} */
export function turnView(first) {
  const prompt = element('div', { className: 'prompt' });
  const parts = element('div', { className: 'parts' });
  const tail = element('div', { className: 'tail' });
  const node = element('section', { className: 'turn' }, prompt, parts, tail);
  const update = (/** @type {Turn} */ turn) => {
    prompt.textContent = turn.prompt ?? '';
    prompt.hidden = turn.prompt === undefined;
    node.setAttribute(
      'aria-label',
      turn.prompt === undefined ? 'A part of the conversation' : `You: ${turn.prompt.slice(0, 80)}`,
    );
    const things = turn.parts.filter(isShown).map((part) => ({ part, turn }));
    sync(parts, things, ({ part }) => part.key, partView);
    updateTail(tail, turn);
  };
  update(first);
  return { node, update };
}

/** Blank texts and thoughts take no room. @param {Part} part */
const isShown = (part) => !(part.kind === 'text' || part.kind === 'thinking') || part.text.trim() !== '';

/** @typedef {{ part: Part, turn: Turn }} PartOfTurn */

/** @param {PartOfTurn} first @returns {import('./sync.mjs').View<PartOfTurn>} */
function partView(first) {
  const { kind } = first.part;
  if (kind === 'tool') return toolView(first);
  if (kind === 'text') return textView();
  if (kind === 'thinking') return thinkingView();
  return questionPartView(first);
}

/** @returns {import('./sync.mjs').View<PartOfTurn>} */
function textView() {
  const node = element('div', { className: 'text' });
  return { node, update: ({ part }) => part.kind === 'text' && showMarkdown(node, part.text) };
}

/** @returns {import('./sync.mjs').View<PartOfTurn>} */
function thinkingView() {
  const words = element('div', { className: 'thought' });
  const node = element(
    'details',
    { className: 'thinking' },
    element('summary', {}, icon('chevron'), 'Thoughts'),
    words,
  );
  const update = (/** @type {PartOfTurn} */ { part }) => {
    if (part.kind === 'thinking') words.textContent = part.text;
  };
  return { node, update };
}

/** @param {PartOfTurn} first @returns {import('./sync.mjs').View<PartOfTurn>} */
function questionPartView({ part }) {
  const view = part.kind === 'question' ? questionView(part.question) : undefined;
  const node = element('div', { className: 'tool' }, ...(view === undefined ? [] : [view.node]));
  return { node, update: (thing) => thing.part.kind === 'question' && view?.update(thing.part.question) };
}

const STATES = {
  writing: { words: 'preparing', picture: undefined },
  asking: { words: 'waits for you', picture: /** @type {const} */ ('hand') },
  running: { words: 'running', picture: undefined },
  done: { words: 'done', picture: /** @type {const} */ ('check') },
  failed: { words: 'failed', picture: /** @type {const} */ ('cross') },
  refused: { words: 'refused', picture: /** @type {const} */ ('cross') },
  stopped: { words: 'stopped', picture: /** @type {const} */ ('pause') },
};

/** @param {PartOfTurn} first @returns {import('./sync.mjs').View<PartOfTurn>} */
function toolView(first) {
  const { server, words } = nameOf(/** @type {ToolPart} */ (first.part).name);
  const gist = element('span', { className: 'gist' });
  const chip = element('span', { className: 'chip' });
  const body = element('div', { className: 'tool-body' });
  const name = element('span', { className: 'tool-name', text: words });
  const summary = element('summary', {}, icon('chevron'), name, gist, chip);
  if (server !== undefined) name.title = `of ${server}`;
  const details = element('details', {}, summary, body);
  const place = element('div');
  const node = element('div', { className: 'tool' }, details, place);
  let shown = '';
  const update = (/** @type {PartOfTurn} */ { part, turn }) => {
    if (part.kind !== 'tool') return;
    const state = stateOf(part, turn);
    const { result, question } = part;
    const input = inputOf(part);
    gist.textContent = part.name === 'AskUserQuestion' ? '' : preview(input);
    node.dataset.state = state;
    const now = JSON.stringify([state, input, result]);
    if (now !== shown) {
      shown = now;
      const { words: what, picture } = STATES[state];
      chip.replaceChildren(
        ...(picture === undefined ? [element('span', { className: 'spinner' })] : [icon(picture)]),
        what,
      );
      body.replaceChildren(...bodyOf(input, result));
    }
    sync(place, question === undefined ? [] : [question], ({ approval }) => approval.id, questionView);
  };
  update(first);
  return { node, update };
}

/**
 * @param {Record<string, unknown> | undefined} input
 * @param {import('./conversation.mjs').ToolResult | undefined} result
 */
function bodyOf(input, result) {
  const head = (/** @type {string} */ text) => element('p', { className: 'label', text });
  const output =
    result === undefined
      ? element('p', { className: 'quiet', text: 'Nothing yet.' })
      : element('pre', { tabIndex: 0, text: result.text });
  return [head('Input'), inputList(input ?? {}), head(result?.isError ? 'Error' : 'Output'), output];
}

const OUTCOMES = {
  answered: undefined,
  failed: 'This did not work.',
  interrupted: 'Stopped.',
  dropped: 'Stopped before it began.',
};

/** @param {HTMLElement} tail @param {Turn} turn */
function updateTail(tail, turn) {
  const { outcome, failure } = turn;
  const isAsking = turn.parts.some((part) => 'question' in part && part.question?.state === 'open');
  const state = outcome ?? (isAsking ? 'asking' : 'running');
  if (tail.dataset.state === state) return;
  tail.dataset.state = state;
  const words = outcome === undefined ? undefined : OUTCOMES[outcome];
  const note = words === undefined ? [] : [element('p', { className: 'outcome', text: words })];
  const detail =
    outcome === 'failed' && failure !== undefined
      ? [element('p', { className: 'quiet', text: failure })]
      : [];
  const dots =
    state === 'running'
      ? [element('span', { className: 'dots', ariaLabel: 'The answer is being written', role: 'img' })]
      : [];
  tail.replaceChildren(...note, ...detail, ...dots);
}

// What the agent asks of people: may it do this, which of these, and what else a tool wants to know.

import { choices } from './choices.mjs';
import { decisionOf } from './conversation.mjs';
import { element, icon } from './dom.mjs';
import { server } from './server.mjs';
import { changes, inputFields, inputList, nameOf } from './values.mjs';

/**
 * @typedef {import('./conversation.mjs').Question} Question
 * @typedef {import('./conversation.mjs').Answer} Answer
 * @typedef {import('./conversation.mjs').Approval} Approval
 */

/**
 * @param {Question} first
 * @returns {import('./sync.mjs').View<Question>}
 */
export function questionView(first) {
  const node = element('div', { className: 'question' });
  let state = '';
  const update = (/** @type {Question} */ question) => {
    // The form stays as it is while the question is open.
    if (question.state === state) return;
    state = question.state;
    node.replaceChildren(...(state === 'open' ? [openQuestion(question.approval)] : settled(question)));
    node.classList.toggle('is-open', state === 'open');
  };
  update(first);
  return { node, update };
}

/** @param {Approval} approval */
function openQuestion(approval) {
  const problem = element('p', { className: 'problem', role: 'alert' });
  /** @param {() => Answer} read */
  const give = async (read) => {
    problem.textContent = '';
    try {
      const answer = read();
      form.inert = true;
      await server.answer(approval.id, answer);
    } catch (error) {
      // Somebody else was faster, or it is no longer asked: what became of it is among the next events.
      form.inert = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const form = element('form', { className: 'ask', noValidate: true });
  const heading = element(
    'p',
    { className: 'ask-title' },
    icon(approval.kind === 'question' ? 'question' : 'hand'),
    titleOf(approval),
  );
  form.append(heading, ...bodyOf(approval, give, form), problem);
  form.setAttribute('aria-label', titleOf(approval));
  return form;
}

/** @param {Approval} approval */
function titleOf(approval) {
  if (approval.kind === 'elicitation') return approval.request.message;
  if (approval.kind === 'question') return 'The agent would like to know';
  return approval.title ?? `May the agent use “${nameOf(approval.toolName).words}”?`;
}

/** @typedef {(read: () => Answer) => Promise<void>} Give */

/**
 * @param {Approval} approval
 * @param {Give} give
 * @param {HTMLFormElement} form
 * @returns {HTMLElement[]}
 */
function bodyOf(approval, give, form) {
  if (approval.kind === 'permission') return permission(approval, give, form);
  if (approval.kind === 'question') return question(approval, give, form);
  return elicitation(approval, give, form);
}

/**
 * @param {Extract<Approval, { kind: 'permission' }>} approval
 * @param {Give} give
 * @param {HTMLFormElement} form
 */
function permission({ id, input, description }, give, form) {
  const place = element('div', {}, inputList(input));
  /** @type {(() => Record<string, unknown>) | undefined} */
  let changed;
  const allow = button('Allow', 'primary', 'submit');
  const change = button('Change it first');
  const deny = button('Deny');
  const reason = element('input', { id: `${id}-reason`, maxLength: 1000, autocomplete: 'off' });
  const why = element(
    'div',
    { className: 'field', hidden: true },
    element('label', { htmlFor: reason.id, text: 'Why not? The agent reads it.' }),
    reason,
  );
  const refuse = () =>
    give(() => ({ behavior: 'deny', message: reason.value.trim() || 'The user does not want this.' }));

  change.addEventListener('click', () => {
    const { nodes, read } = inputFields(input, id);
    changed = read;
    place.replaceChildren(...nodes);
    change.hidden = true;
    allow.textContent = 'Allow as changed';
    const control = place.querySelector('input, textarea');
    if (control instanceof HTMLElement) control.focus();
  });
  deny.addEventListener('click', () => {
    if (!why.hidden) return void refuse();
    why.hidden = false;
    reason.focus();
  });
  reason.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void refuse();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void give(() => ({ behavior: 'allow', ...(changed === undefined ? {} : { updatedInput: changed() }) }));
  });
  change.hidden = Object.keys(input).length === 0;
  return [
    ...(description === undefined ? [] : [element('p', { className: 'quiet', text: description })]),
    place,
    why,
    element('div', { className: 'buttons' }, allow, change, deny),
  ];
}

/**
 * @param {Extract<Approval, { kind: 'question' }>} approval
 * @param {Give} give
 * @param {HTMLFormElement} form
 */
function question({ id, input }, give, form) {
  const { nodes, read } = choices(input, id);
  const skip = button('I would rather not say');
  skip.addEventListener('click', () =>
    give(() => ({ behavior: 'deny', message: 'The user would rather not say.' })));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void give(() => ({ answers: read() }));
  });
  return [...nodes, element('div', { className: 'buttons' }, button('Answer', 'primary', 'submit'), skip)];
}

/**
 * @param {Extract<Approval, { kind: 'elicitation' }>} approval
 * @param {Give} give
 * @param {HTMLFormElement} form
 */
function elicitation({ id, request }, give, form) {
  const { nodes, read } = inputFields(emptyValues(request.requestedSchema), id);
  const decline = button('Decline');
  decline.addEventListener('click', () => give(() => ({ action: 'decline' })));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void give(() => /** @type {Answer} */ ({ action: 'accept', content: read() }));
  });
  const from = element('p', { className: 'quiet', text: `Asked by “${request.serverName}”.` });
  return [
    from,
    ...nodes,
    element('div', { className: 'buttons' }, button('Answer', 'primary', 'submit'), decline),
  ];
}

/**
 * What a form begins with.
 *
 * @param {unknown} schema
 */
function emptyValues(schema) {
  const { properties = {} } =
    /** @type {{ properties?: Record<string, { type?: string, default?: unknown }> }} */ (schema ?? {});
  const empty = { boolean: false, number: 0, integer: 0 };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = '', default: value }]) => [
      name,
      value ?? empty[/** @type {keyof typeof empty} */ (type)] ?? '',
    ]),
  );
}

/**
 * @param {string} text
 * @param {string} [className]
 * @param {'button' | 'submit'} [type]
 */
function button(text, className = '', type = 'button') {
  return element('button', { type, text, className });
}

/** @param {Question} question */
function settled(question) {
  const { answer, approval } = question;
  if (answer === undefined) return [line('close', 'This is no longer asked.')];
  const decision = decisionOf(question);
  if (decision?.behavior === 'deny') return [line('cross', 'You have refused:', decision.message)];
  if (decision?.behavior === 'allow') {
    const before = approval.kind === 'permission' ? approval.input : {};
    const changed = decision.updatedInput == null ? [] : changes(before, decision.updatedInput);
    const allowed = line('check', 'You have allowed it.');
    return [...changed.map((words) => line('pencil', 'You have changed', words)), allowed];
  }
  if ('action' in answer) return [line('check', 'You have said:', String(answer.action))];
  const { answers } = /** @type {{ answers: Record<string, string> }} */ (answer);
  return Object.entries(answers).map(([asked, given]) => line('check', asked, given));
}

/**
 * @param {Parameters<typeof icon>[0]} picture
 * @param {string} words
 * @param {string} [detail]
 */
function line(picture, words, detail) {
  const said = element(
    'span',
    {},
    words,
    ...(detail === undefined ? [] : [' ', element('b', { text: detail })]),
  );
  return element('p', { className: 'settled' }, icon(picture), said);
}

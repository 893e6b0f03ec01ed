// The questions of `AskUserQuestion`: cards to choose from, and room for an answer of one's own.

import { element } from './dom.mjs';

/**
 * @typedef {{ label: string, description?: string }} Choice
 * @typedef {{ question: string, header?: string, options: Choice[], multiSelect?: boolean }} Asked
 */

/**
 * @param {Record<string, unknown>} input
 * @param {string} prefix of the ids
 * @returns {{ nodes: HTMLElement[], read(): Record<string, string> }} `read` throws if a question has no answer
 */
export function choices(input, prefix) {
  const asked = /** @type {Asked[]} */ (Array.isArray(input.questions) ? input.questions : []);
  const groups = asked.map((each, index) => group(each, `${prefix}-${index}`));
  return {
    nodes: groups.map(({ node }) => node),
    read: () => Object.fromEntries(groups.map(({ question, read }) => [question, read()])),
  };
}

/**
 * @param {Asked} asked
 * @param {string} name
 */
function group({ question, options, multiSelect = false }, name) {
  const type = multiSelect ? 'checkbox' : 'radio';
  const boxes = options.map(({ label, description = '' }, index) => {
    const box = element('input', { type, name, id: `${name}-${index}`, value: label });
    const words = element(
      'span',
      {},
      element('strong', { text: label }),
      element('span', { text: description }),
    );
    return { box, node: element('label', { className: 'choice', htmlFor: box.id }, box, words) };
  });
  const own = element('input', {
    className: 'own',
    autocomplete: 'off',
    placeholder: 'Something else',
    ariaLabel: `Something else: ${question}`,
  });
  // Who writes an answer of their own has not chosen one of the others.
  own.addEventListener('input', () => {
    if (!multiSelect && own.value !== '') for (const { box } of boxes) box.checked = false;
  });
  for (const { box } of boxes)
    box.addEventListener('change', () => {
      if (!multiSelect) own.value = '';
    });
  const legend = element('legend', { text: multiSelect ? `${question} (several are possible)` : question });
  const node = element('fieldset', { className: 'choices' }, legend, ...boxes.map((each) => each.node), own);
  const read = () => {
    const chosen = boxes.flatMap(({ box }) => (box.checked ? [box.value] : []));
    const words = own.value.trim();
    const all = words === '' ? chosen : [...chosen, words];
    if (all.length === 0) throw new Error(`Please answer: ${question}`);
    return all.join(', ');
  };
  return { question, node, read };
}

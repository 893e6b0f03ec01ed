// The input of a call as people see it, and as they can change it.

import { element } from './dom.mjs';

/** @typedef {Record<string, unknown>} Input */

/**
 * `mcp__shop__find_product` → "find product", of "shop".
 *
 * @param {string} name
 */
export function nameOf(name) {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [undefined, undefined, name];
  if (tool === 'AskUserQuestion') return { server, words: 'question' };
  const words = tool.replace(/_/g, ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return { server, words: words.toLowerCase() };
}

/**
 * In a line.
 *
 * @param {Input | undefined} input
 */
export function preview(input) {
  if (input === undefined) return '';
  const values = Object.values(input).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
  return values.join(', ').replace(/\s+/g, ' ').slice(0, 120);
}

/** @param {unknown} value */
const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/**
 * What a person has changed, one line each.
 *
 * @param {Input} before
 * @param {Input} after
 */
export function changes(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map(
      (name) => `${name.replace(/_/g, ' ')}: ${shown(before[name]) ?? '–'} → ${shown(after[name]) ?? '–'}`,
    );
}

/** @param {Input} input */
export function inputList(input) {
  const entries = Object.entries(input);
  if (entries.length === 0) return element('p', { className: 'quiet', text: 'Nothing is passed on.' });
  return element(
    'dl',
    { className: 'values' },
    ...entries.flatMap(([name, value]) => [
      element('dt', { text: name.replace(/_/g, ' ') }),
      element('dd', { text: shown(value) }),
    ]),
  );
}

/**
 * A field for each value. What is no text, number, or yes and no is written as JSON.
 *
 * @param {Input} input
 * @param {string} prefix of the ids
 * @returns {{ nodes: HTMLElement[], read(): Input }} `read` throws with what is wrong
 */
export function inputFields(input, prefix) {
  const fields = Object.entries(input).map(([name, value], index) =>
    field(name, value, `${prefix}-${index}`),
  );
  return {
    nodes: fields.map(({ node }) => node),
    read: () => Object.fromEntries(fields.map(({ name, read }) => [name, read()])),
  };
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} id
 */
function field(name, value, id) {
  const label = name.replace(/_/g, ' ');
  const { control, read } = controlFor(label, value);
  control.id = id;
  const node = element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: id, text: label }),
    control,
  );
  return { name, node, read };
}

/**
 * @param {string} label
 * @param {unknown} value
 * @returns {{ control: HTMLElement, read(): unknown }}
 */
function controlFor(label, value) {
  if (typeof value === 'boolean') {
    const control = element('input', { type: 'checkbox', checked: value });
    return { control, read: () => control.checked };
  }
  if (typeof value === 'number') {
    const control = element('input', { type: 'number', step: 'any', value: String(value) });
    const read = () => {
      if (Number.isNaN(control.valueAsNumber)) throw new Error(`“${label}” must be a number.`);
      return control.valueAsNumber;
    };
    return { control, read };
  }
  if (typeof value === 'string') {
    const control =
      value.length > 60 || value.includes('\n') ? element('textarea', { rows: 3 }) : element('input');
    control.value = value;
    return { control, read: () => control.value };
  }
  const control = element('textarea', { rows: 4, className: 'code', spellcheck: false });
  control.value = JSON.stringify(value, null, 2);
  const read = () => {
    try {
      return JSON.parse(control.value);
    } catch {
      throw new Error(`“${label}” must be JSON.`);
    }
  };
  return { control, read };
}

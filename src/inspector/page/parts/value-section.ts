import { html, nothing, type TemplateResult } from 'lit-html';
import { shownBlocks } from '../../../observe/run/messages.js';
import { jsonTree } from './json-tree.js';
import { longText } from './long-text.js';
import { type Content, copyButton } from './pieces.js';

/** An input or an output: as text where it is text, otherwise as a tree. */
export function valueSection(title: string, value: unknown, place: string): Content {
  if (value === undefined) return nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return html`<section class="value">
    <h3>${title} ${copyButton(() => text)}</h3>
    ${shownValue(value, place)}
  </section>`;
}

function shownValue(value: unknown, place: string): TemplateResult {
  const said = textIn(value);
  if (said === undefined) return jsonTree(value, place);
  if (said.trim() === '') return html`<p class="muted">empty</p>`;
  const parsed = parsedJson(said);
  return parsed === undefined
    ? html`<div class="value-text">${longText(said, place)}</div>`
    : jsonTree(parsed, place);
}

/** The text of a value that is nothing but text. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const blocks = shownBlocks(value, () => undefined);
  if (blocks.length !== value.length || blocks.some(({ kind }) => kind !== 'text')) return undefined;
  return blocks.map(({ text }) => text).join('\n');
}

/** Tools often answer with JSON in a text. */
function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

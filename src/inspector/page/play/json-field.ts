import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';

/** What was typed, by field, while it is not JSON. */
const typed = signal<ReadonlyMap<string, string>>(new Map());

/** A value of any kind, written as JSON. */
export function jsonField({
  id,
  name,
  value,
  change,
  isRequired,
}: {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  readonly change: (from: (current: unknown) => unknown) => void;
  readonly isRequired: boolean;
}): TemplateResult {
  const draft = typed.value.get(id);
  const text = draft ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const type = (event: Event): void => {
    const { value: next } = event.target as HTMLTextAreaElement;
    const parsed = parsedJson(next);
    const drafts = new Map(typed.value);
    drafts.set(id, next);
    typed.value = drafts;
    // The server says what is wrong with a text in place of a value.
    change(() => (next.trim() === '' ? undefined : parsed === undefined ? next : parsed.value));
  };
  const isWrong = draft !== undefined && draft.trim() !== '' && parsedJson(draft) === undefined;
  return html`<div class="field">
    <label for=${id}>${name} <span class="muted">JSON${isRequired ? '' : ', optional'}</span></label>
    <textarea id=${id} class="code" rows="3" spellcheck="false" aria-invalid=${isWrong} .value=${text} @input=${type}></textarea>
    ${isWrong ? html`<p class="hint is-wrong">This is not JSON yet.</p>` : nothing}
  </div>`;
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

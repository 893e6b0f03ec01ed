/* A form from a JSON Schema. What it does not know how to ask for is asked for as JSON. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { isRecord } from '../../../protocol/base/kinds.js';
import type { Content } from '../parts/pieces.js';
import { jsonField } from './json-field.js';

export type Schema = Readonly<Record<string, unknown>>;
type SetValue = (value: unknown) => void;

interface Field {
  readonly schema: Schema;
  readonly value: unknown;
  readonly set: SetValue;
  /** Unique on the page. */
  readonly id: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** The fields of an object; values that are not given are left out of it. */
export function schemaForm(schema: Schema, value: unknown, set: SetValue, id: string): TemplateResult {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const isOdd =
    properties.length === 0 &&
    Object.keys(schema).some((name) => /Of$|^\$ref$|^patternProperties$/.test(name));
  if (isOdd) return jsonField({ schema, value, set, id, name: 'arguments', isRequired: true });
  if (properties.length === 0) return html`<p class="muted">It takes no arguments.</p>`;
  const given = isRecord(value) ? value : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return html`${properties.map(([name, property]) =>
    field({
      schema: isRecord(property) ? property : {},
      value: given[name],
      set: (next) => set(withField(given, name, next)),
      id: `${id}.${name}`,
      name,
      isRequired: required.includes(name),
    }),
  )}`;
}

function withField(given: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const others = Object.entries(given).filter(([each]) => each !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

function field(each: Field): TemplateResult {
  const { schema, isRequired } = each;
  const type = typeOf(schema);
  if (Array.isArray(schema.enum)) return labelled(each, enumField(each, schema.enum));
  if (type === 'boolean') return isRequired ? checkbox(each) : labelled(each, enumField(each, [true, false]));
  if (type === 'string') return labelled(each, textField(each));
  if (type === 'number' || type === 'integer') return labelled(each, numberField(each));
  if (type === 'object' && isRecord(schema.properties)) return group(each, objectFields(each));
  if (type === 'array' && isRecord(schema.items)) return group(each, arrayFields(each, schema.items));
  return jsonField(each);
}

/** `string` also of `["string", "null"]`. */
function typeOf({ type }: Schema): unknown {
  if (!Array.isArray(type)) return type;
  const others = type.filter((each) => each !== 'null');
  return others.length === 1 ? others[0] : undefined;
}

function objectFields({ schema, value, set, id }: Field): TemplateResult {
  return schemaForm(schema, value, set, id);
}

function arrayFields({ value, set, id, name }: Field, items: Schema): TemplateResult {
  const list = Array.isArray(value) ? value : [];
  const without = (index: number): unknown[] => list.filter((_, at) => at !== index);
  return html`${list.map(
    (item, index) =>
      html`<div class="item">
          ${field({
            schema: items,
            value: item,
            set: (next) => set(list.with(index, next ?? null)),
            id: `${id}.${index}`,
            name: `${name} ${index + 1}`,
            isRequired: true,
          })}
          <button type="button" class="quiet" aria-label="Remove ${name} ${index + 1}" @click=${() => set(without(index))}>remove</button>
        </div>`,
  )}
    <button type="button" class="quiet" @click=${() => set([...list, emptyOf(items)])}>add ${name}</button>`;
}

function emptyOf(schema: Schema): unknown {
  const type = typeOf(schema);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  return type === 'string'
    ? ''
    : type === 'object'
      ? {}
      : type === 'array'
        ? []
        : type === 'boolean'
          ? false
          : null;
}

function labelled({ schema, id, name, isRequired }: Field, input: TemplateResult): TemplateResult {
  return html`<div class="field">
    <label for=${id}>${name}${isRequired ? nothing : html` <span class="muted">optional</span>`}</label>
    ${input} ${description(schema)}
  </div>`;
}

function group({ schema, name, isRequired }: Field, body: TemplateResult): TemplateResult {
  return html`<fieldset>
    <legend>${name}${isRequired ? nothing : html` <span class="muted">optional</span>`}</legend>
    ${description(schema)} ${body}
  </fieldset>`;
}

function description({ description: text }: Schema): Content {
  return typeof text === 'string' && text !== '' ? html`<p class="hint">${text}</p>` : nothing;
}

function textField({ id, value, set, schema }: Field): TemplateResult {
  const type = (event: Event): void => {
    const text = (event.target as HTMLTextAreaElement).value;
    set(text === '' ? undefined : text);
  };
  return html`<textarea id=${id} rows="1" spellcheck="false" placeholder=${defaultOf(schema)} .value=${asText(value)} @input=${type}></textarea>`;
}

/** What is no number stays text: the schema's own error is better than one of the page. */
function numberField({ id, value, set, schema }: Field): TemplateResult {
  const type = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    set(text === '' ? undefined : Number.isNaN(Number(text)) ? text : Number(text));
  };
  return html`<input id=${id} inputmode="decimal" autocomplete="off" placeholder=${defaultOf(schema)} .value=${asText(value)} @change=${type} @input=${type} />`;
}

function checkbox({ id, name, value, set, schema }: Field): TemplateResult {
  const check = (event: Event): void => set((event.target as HTMLInputElement).checked);
  return html`<div class="field is-check">
    <label><input id=${id} type="checkbox" .checked=${value === true} @change=${check} /> ${name}</label>
    ${description(schema)}
  </div>`;
}

function enumField({ id, value, set, isRequired }: Field, values: readonly unknown[]): TemplateResult {
  const choose = (event: Event): void => {
    const { selectedIndex } = event.target as HTMLSelectElement;
    set(selectedIndex === 0 ? undefined : values[selectedIndex - 1]);
  };
  return html`<select id=${id} class="chooser" @change=${choose}>
    <option .selected=${value === undefined}>${isRequired ? 'choose …' : '—'}</option>
    ${values.map((each) => html`<option .selected=${each === value}>${typeof each === 'string' ? each : JSON.stringify(each)}</option>`)}
  </select>`;
}

const asText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

const defaultOf = ({ default: value }: Schema): string => (value === undefined ? '' : JSON.stringify(value));

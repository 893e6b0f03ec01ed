/* A form from a JSON Schema. What it does not know how to ask for is asked for as JSON. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { isRecord } from '../../../protocol/base/kinds.js';
import type { Content } from '../parts/pieces.js';
import { jsonField } from './json-field.js';

export type Schema = Readonly<Record<string, unknown>>;
/** Makes a value from the one that is there by then: two fields may change before the form is drawn again. */
export type Change = (from: (current: unknown) => unknown) => void;

interface Field {
  readonly schema: Schema;
  readonly value: unknown;
  readonly change: Change;
  /** Unique on the page. */
  readonly id: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** The fields of an object; values that are not given are left out of it. */
export function schemaForm(schema: Schema, value: unknown, change: Change, id: string): TemplateResult {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const isOdd =
    properties.length === 0 &&
    Object.keys(schema).some((name) => /Of$|^\$ref$|^patternProperties$/.test(name));
  if (isOdd) return jsonField({ value, change, id, name: 'arguments', isRequired: true });
  if (properties.length === 0) return html`<p class="muted">It takes no arguments.</p>`;
  const given = recordOf(value);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return html`${properties.map(([name, property]) =>
    field({
      schema: isRecord(property) ? property : {},
      value: given[name],
      change: (from) =>
        change((current) => withField(recordOf(current), name, from(recordOf(current)[name]))),
      id: `${id}.${name}`,
      name,
      isRequired: required.includes(name),
    }),
  )}`;
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

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

function objectFields({ schema, value, change, id }: Field): TemplateResult {
  return schemaForm(schema, value, change, id);
}

function arrayFields({ value, change, id, name }: Field, items: Schema): TemplateResult {
  const remove = (index: number): void =>
    change((current) => listOf(current).filter((_, at) => at !== index));
  const add = (): void => change((current) => [...listOf(current), emptyOf(items)]);
  return html`${listOf(value).map(
    (item, index) =>
      html`<div class="item">
          ${field({
            schema: items,
            value: item,
            change: (from) =>
              change((current) => listOf(current).with(index, from(listOf(current)[index]) ?? null)),
            id: `${id}.${index}`,
            name: `${name} ${index + 1}`,
            isRequired: true,
          })}
          <button type="button" class="quiet" aria-label="Remove ${name} ${index + 1}" @click=${() => remove(index)}>remove</button>
        </div>`,
  )}
    <button type="button" class="quiet" @click=${add}>add ${name}</button>`;
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

function textField({ id, value, change, schema }: Field): TemplateResult {
  const type = (event: Event): void => {
    const text = (event.target as HTMLTextAreaElement).value;
    change(() => (text === '' ? undefined : text));
  };
  return html`<textarea id=${id} rows="1" spellcheck="false" placeholder=${defaultOf(schema)} .value=${asText(value)} @input=${type}></textarea>`;
}

/** What is no number stays text: the schema's own error is better than one of the page. */
function numberField({ id, value, change, schema }: Field): TemplateResult {
  const type = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    change(() => (text === '' ? undefined : Number.isNaN(Number(text)) ? text : Number(text)));
  };
  return html`<input id=${id} inputmode="decimal" autocomplete="off" placeholder=${defaultOf(schema)} .value=${asText(value)} @change=${type} @input=${type} />`;
}

function checkbox({ id, name, value, change, schema }: Field): TemplateResult {
  const check = (event: Event): void => {
    const { checked } = event.target as HTMLInputElement;
    change(() => checked);
  };
  return html`<div class="field is-check">
    <label><input id=${id} type="checkbox" .checked=${value === true} @change=${check} /> ${name}</label>
    ${description(schema)}
  </div>`;
}

function enumField({ id, value, change, isRequired }: Field, values: readonly unknown[]): TemplateResult {
  const choose = (event: Event): void => {
    const { selectedIndex } = event.target as HTMLSelectElement;
    change(() => (selectedIndex === 0 ? undefined : values[selectedIndex - 1]));
  };
  return html`<select id=${id} class="chooser" @change=${choose}>
    <option .selected=${value === undefined}>${isRequired ? 'choose …' : '—'}</option>
    ${values.map((each) => html`<option .selected=${each === value}>${typeof each === 'string' ? each : JSON.stringify(each)}</option>`)}
  </select>`;
}

const asText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

const defaultOf = ({ default: value }: Schema): string => (value === undefined ? '' : JSON.stringify(value));

import { signal } from '@preact/signals-core';
import { html, nothing, type TemplateResult } from 'lit-html';
import { cut } from '../format.js';

/* A value as a tree. Only what is unfolded exists, and of long lists and texts only their beginning. */

const FIRST_CHILDREN = 60;
const LONGEST_TEXT = 1200;
/** As much as is worth reading unfolded. */
const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 12;

/** What was folded or unfolded by hand, by its place; how many children or characters are wanted. */
const folded = signal<ReadonlyMap<string, boolean>>(new Map());
const wanted = signal<ReadonlyMap<string, number>>(new Map());

/** `place` tells trees apart: what is unfolded in one stays unfolded when it is drawn again. */
export function jsonTree(value: unknown, place: string): TemplateResult {
  return html`<div class="tree">${node(undefined, value, place, 0)}</div>`;
}

function node(name: string | undefined, value: unknown, place: string, depth: number): TemplateResult {
  const children = childrenOf(value);
  if (children === undefined) {
    return html`<div class="leaf">${label(name)}${leaf(value, place)}</div>`;
  }
  const isArray = Array.isArray(value);
  if (children.length === 0)
    return html`<div class="leaf">${label(name)}<i>${isArray ? '[ ]' : '{ }'}</i></div>`;
  const isOpen = folded.value.get(place) ?? (depth < OPEN_DEPTH && children.length <= OPEN_CHILDREN);
  const toggle = (): void => {
    folded.value = new Map(folded.value).set(place, !isOpen);
  };
  const summary = html`<button class="fold" aria-expanded=${isOpen} @click=${toggle}
    >${label(name)}<i>${isOpen ? (isArray ? '[' : '{') : preview(value, isArray, children.length)}</i></button
  >`;
  return html`<div class="branch">${summary}${isOpen ? branch(children, place, depth) : nothing}</div>`;
}

function branch(
  children: readonly (readonly [string, unknown])[],
  place: string,
  depth: number,
): TemplateResult {
  const most = wanted.value.get(place) ?? FIRST_CHILDREN;
  const shown = children.slice(0, most);
  const rest = children.length - shown.length;
  return html`<div class="children">
    ${shown.map(([name, value]) => node(name, value, `${place}/${name}`, depth + 1))}
    ${rest > 0 ? more(`${rest} more`, place, most + FIRST_CHILDREN * 5) : nothing}
  </div>`;
}

function more(text: string, place: string, most: number): TemplateResult {
  const grow = (): void => {
    wanted.value = new Map(wanted.value).set(place, most);
  };
  return html`<button class="more" @click=${grow}>${text}</button>`;
}

function leaf(value: unknown, place: string): TemplateResult {
  if (typeof value !== 'string') return html`<span class="is-${typeof value}">${String(value)}</span>`;
  const most = wanted.value.get(place) ?? LONGEST_TEXT;
  const isLong = value.length > most;
  const rest = isLong ? more(`all ${value.length} characters`, place, value.length) : nothing;
  return html`<span class="is-string">${isLong ? value.slice(0, most) : value}</span>${rest}`;
}

function label(name: string | undefined): TemplateResult | typeof nothing {
  return name === undefined ? nothing : html`<b>${name}</b>`;
}

function preview(value: unknown, isArray: boolean, children: number): string {
  if (isArray) return `[ ${children} ]`;
  return `{ ${cut(Object.keys(value as object).join(', '), 48)} }`;
}

function childrenOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value);
}

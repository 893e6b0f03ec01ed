import { signal } from '@preact/signals-core';
import { html, type TemplateResult } from 'lit-html';
import { attached, measured, styled } from './dom.js';

export interface ListRows {
  readonly count: number;
  readonly label: string;
  /** New rows at the end come into sight while the end is in sight. */
  readonly follows?: boolean;
  /** −1: none. */
  readonly selected: number;
  row(index: number): TemplateResult;
  /** What is beside the class `row`. */
  rowClass?(index: number): string;
  select(index: number): void;
  open(index: number): void;
}

/** Browsers lose pixels in elements that are much higher. */
const HIGHEST_PX = 12_000_000;
/** Rows above and below what is seen, so that scrolling does not flash. */
const SPARE_ROWS = 6;

/** A list of rows of one height, of which only those in sight exist. Stays at its end if it was there. */
export class VirtualList {
  readonly #id: string;
  readonly #rowHeight: number;
  readonly #scrollTop = signal(0);
  readonly #height = signal(0);
  #element: HTMLElement | undefined;
  #rows: ListRows | undefined;
  #isAtEnd = true;

  constructor(id: string, rowHeight: number) {
    this.#id = id;
    this.#rowHeight = rowHeight;
  }

  render(rows: ListRows): TemplateResult {
    const isLonger = rows.count > (this.#rows?.count ?? 0);
    this.#rows = rows;
    const scale = this.#scale();
    const full = Math.max(rows.count * this.#rowHeight * scale, 1);
    const top = Math.min(this.#scrollTop.value, Math.max(full - this.#height.value, 0));
    const at = top / scale / this.#rowHeight;
    const seen = Math.ceil(this.#height.value / this.#rowHeight);
    const first = Math.max(Math.floor(at) - SPARE_ROWS, 0);
    const last = Math.min(Math.floor(at) + seen + SPARE_ROWS, rows.count);
    const offset = Math.max(top - (at - first) * this.#rowHeight, 0);
    if (isLonger && rows.follows === true && this.#isAtEnd)
      queueMicrotask(() => this.#scrollTo(rows.count - 1));
    const visible = Array.from({ length: Math.max(last - first, 0) }, (_, index) => this.#row(first + index));
    return html`<div
      class="list"
      role="listbox"
      tabindex="0"
      aria-label=${rows.label}
      aria-activedescendant=${rows.selected >= first && rows.selected < last ? `${this.#id}-${rows.selected}` : ''}
      @scroll=${this.#onScroll}
      ${attached(this.#attach)}
    >
      <div class="list-space" role="presentation" ${styled({ height: `${full}px` })}>
        <div
          class="list-window"
          role="presentation"
          ${styled({ transform: `translateY(${offset}px)`, '--row': `${this.#rowHeight}px` })}
        >
          ${visible}
        </div>
      </div>
    </div>`;
  }

  #row(index: number): TemplateResult {
    const rows = this.#rows;
    if (rows === undefined) return html``;
    const isSelected = index === rows.selected;
    const click = (): void => {
      rows.select(index);
      rows.open(index);
    };
    return html`<div
      class="row ${rows.rowClass?.(index) ?? ''} ${isSelected ? 'is-selected' : ''}"
      role="option"
      id="${this.#id}-${index}"
      aria-selected=${isSelected}
      aria-posinset=${index + 1}
      aria-setsize=${rows.count}
      @click=${click}
    >
      ${rows.row(index)}
    </div>`;
  }

  /** Moves the selection, and brings it into sight. */
  move(delta: number): void {
    const rows = this.#rows;
    if (rows === undefined || rows.count === 0) return;
    const from = rows.selected < 0 ? (delta > 0 ? -1 : rows.count) : rows.selected;
    this.to(from + delta);
  }

  to(index: number): void {
    const rows = this.#rows;
    if (rows === undefined || rows.count === 0) return;
    const wanted = Math.min(Math.max(index, 0), rows.count - 1);
    rows.select(wanted);
    this.reveal(wanted);
  }

  toEnd(): void {
    this.to(Number.POSITIVE_INFINITY);
  }

  get pageRows(): number {
    return Math.max(Math.floor(this.#height.value / this.#rowHeight) - 1, 1);
  }

  openSelected(): void {
    const rows = this.#rows;
    if (rows !== undefined && rows.selected >= 0) rows.open(rows.selected);
  }

  /** Scrolls only as far as it must. */
  reveal(index: number): void {
    const [height, top] = [this.#height.value, this.#scrollTop.value / this.#scale()];
    const rowTop = index * this.#rowHeight;
    if (rowTop < top) this.#scrollTo(index, 'top');
    else if (rowTop + this.#rowHeight > top + height) this.#scrollTo(index);
  }

  #scrollTo(index: number, edge: 'top' | 'bottom' = 'bottom'): void {
    if (this.#element === undefined) return;
    const rowTop = index * this.#rowHeight;
    const top = edge === 'top' ? rowTop : rowTop + this.#rowHeight - this.#height.value;
    const scale = this.#scale();
    // The last row has to be reached whatever the scale has lost.
    const isLast = index === (this.#rows?.count ?? 0) - 1;
    this.#element.scrollTop = isLast && edge === 'bottom' ? this.#element.scrollHeight : top * scale;
    this.#scrollTop.value = this.#element.scrollTop;
  }

  #scale(): number {
    const rows = this.#rows?.count ?? 0;
    return Math.min(1, HIGHEST_PX / Math.max(rows * this.#rowHeight, 1));
  }

  readonly #onScroll = (): void => {
    const element = this.#element;
    if (element === undefined) return;
    this.#scrollTop.value = element.scrollTop;
    this.#isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - this.#rowHeight;
  };

  readonly #attach = (element: HTMLElement): void => {
    this.#element = element;
    // Before the height is known, which draws again.
    const before = this.#scrollTop.value;
    measured((_, height) => {
      this.#height.value = height;
    })(element);
    element.scrollTop = before;
  };
}

import { signal } from '@preact/signals-core';
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Gap, Span } from '../../../observe/run/views.js';
import { duration } from '../format.js';
import { attached, measured } from '../parts/dom.js';
import { open, selected } from '../state/store.js';
import {
  AXIS_HEIGHT,
  barTop,
  type Drawing,
  draw,
  extentOf,
  LANE_HEIGHT,
  labelText,
  spanAt,
  type View,
  xOf,
} from './drawing.js';
import type { PlacedSpan } from './lanes.js';
import { overview } from './overview.js';
import { type FoldedTime, ticks } from './scale.js';
import { isZoomed, pan, range, showAll, zoom } from './zoom.js';

export interface ChartContent {
  readonly placed: readonly PlacedSpan[];
  readonly lanes: number;
  readonly folded: FoldedTime;
  readonly gaps: readonly Gap[];
  readonly critical: ReadonlySet<string>;
  readonly now: number;
  readonly isLive: boolean;
}

const width = signal(0);
const pointed = signal<string | undefined>(undefined);
/** Room for a label of the axis. */
const TICK_PX = 96;
const GAP_LABEL_PX = 108;

export function chart(content: ChartContent): TemplateResult {
  const { placed, lanes, folded, now, critical } = content;
  const view: View = { folded, range: range.value, width: width.value, now };
  const height = AXIS_HEIGHT + lanes * LANE_HEIGHT + 4;
  const pointedSpan =
    pointed.value === undefined ? undefined : placed.find(({ span }) => span.id === pointed.value)?.span;
  return html`<section class="chart" aria-label="Timeline">
    <div class="chart-head">
      ${overview(content)}
      <div class="zoom" role="group" aria-label="Zoom">
        <button aria-label="Nearer" title="Nearer (+)" @click=${() => zoom(0.5)}>+</button>
        <button aria-label="Farther" title="Farther (−)" @click=${() => zoom(2)}>−</button>
        <button aria-label="All of it" title="All of it (0)" ?disabled=${!isZoomed()} @click=${showAll}>0</button>
      </div>
    </div>
    <div class="lanes" tabindex="0" role="group" aria-label="Lanes; plus and minus zoom, the list below has every span" ${attached(measured(setWidth))}>
      <svg
        class="lanes-svg"
        height=${height}
        width=${Math.max(width.value, 1)}
        role="img"
        aria-label="${placed.length} spans in ${lanes} lanes, ${duration(now)}"
        @pointerdown=${dragged}
        @pointermove=${(event: PointerEvent) => point(event, placed, view)}
        @pointerleave=${() => point(undefined, placed, view)}
        @click=${(event: MouseEvent) => click(event, placed, view)}
        @wheel=${{ handleEvent: wheel, passive: false }}
      >
        ${axis(view, height)} ${gapBands(content.gaps, view, height)} ${shapes(placed, critical, view)}
      </svg>
    </div>
    <p class="chart-note" aria-hidden="true">${pointedSpan === undefined ? hint() : described(pointedSpan, now)}</p>
  </section>`;
}

function setWidth(pixels: number): void {
  width.value = pixels;
}

function hint(): TemplateResult {
  return html`<span class="legend-critical"></span> on the critical path: shortening anything else would not have helped
    <span class="legend-wait"></span> waiting for the first token`;
}

function described(span: Span, now: number): TemplateResult {
  const { firstTokenMs, attempts } = span.facts;
  const first = typeof firstTokenMs === 'number' ? ` · first token after ${duration(firstTokenMs)}` : '';
  const tries = typeof attempts === 'number' ? ` · ${attempts} attempts` : '';
  return html`<b>${labelText(span)}</b> ${duration((span.end ?? now) - span.start)}${first}${tries}`;
}

function axis(view: View, height: number): unknown {
  const { folded, range: seen } = view;
  const [from, to] = [folded.timeAt(seen.from), folded.timeAt(seen.to)];
  let lastX = Number.NEGATIVE_INFINITY;
  return ticks(from, to, view.width / TICK_PX).map((time) => {
    const x = Math.round(xOf(time, view)) + 0.5;
    // Within a folded gap they would lie on top of each other.
    if (x - lastX < TICK_PX / 2) return nothing;
    lastX = x;
    return svg`<line class="tick" x1=${x} x2=${x} y1=${AXIS_HEIGHT - 6} y2=${height}></line>
      <text class="tick-label" x=${x + 4} y=${AXIS_HEIGHT - 8}>${tickText(time)}</text>`;
  });
}

function tickText(time: number): string {
  return time >= 1000 || time === 0 ? `${Number((time / 1000).toFixed(3))} s` : `${time} ms`;
}

function gapBands(gaps: readonly Gap[], view: View, height: number): unknown {
  return gaps.map(({ start, end }) => {
    const x = xOf(start, view);
    const wide = xOf(end, view) - x;
    if (x > view.width || x + wide < 0) return nothing;
    const text = gapText(wide, duration(end - start));
    return svg`<rect class="gap" x=${x} y=${AXIS_HEIGHT} width=${Math.max(wide, 0)} height=${height - AXIS_HEIGHT}></rect>
      <text class="gap-label" x=${x + wide / 2} y=${AXIS_HEIGHT + 17} text-anchor="middle">${text}</text>`;
  });
}

function gapText(wide: number, time: string): string {
  if (wide >= GAP_LABEL_PX) return `⟪ idle ${time} ⟫`;
  return wide >= GAP_LABEL_PX / 2 ? `⟪ ${time} ⟫` : wide > 24 ? '⟪ ⟫' : '';
}

function shapes(placed: readonly PlacedSpan[], critical: ReadonlySet<string>, view: View): unknown {
  if (view.width === 0) return nothing;
  const { bars, waits, critical: marks, errors, labels } = drawnAgain(placed, critical, view);
  return svg`
    ${[...bars].map(([kind, path]) => svg`<path class="bar kind-${kind}" d=${path}></path>`)}
    <path class="wait" d=${waits}></path>
    ${[...marks].map(([kind, path]) => svg`<path class="critical-mark kind-${kind}" d=${path}></path>`)}
    <path class="error-mark" d=${errors}></path>
    ${labels.map(({ x, y, text, kind }) => svg`<text class="bar-label kind-${kind}" x=${x} y=${y}>${text}</text>`)}
    ${outline(placed, view)}`;
}

/** The drawing before, where nothing has changed: most of what is drawn again has changed elsewhere. */
let kept: { readonly inputs: readonly unknown[]; readonly drawing: Drawing } | undefined;

function drawnAgain(placed: readonly PlacedSpan[], critical: ReadonlySet<string>, view: View): Drawing {
  const { folded, range: seen, width: wide, now } = view;
  const inputs = [placed, critical, folded.length, seen, wide, now];
  if (kept === undefined || inputs.some((input, index) => input !== kept?.inputs[index])) {
    kept = { inputs, drawing: draw(placed, critical, view) };
  }
  return kept.drawing;
}

function outline(placed: readonly PlacedSpan[], view: View): unknown {
  const id = selected.value?.kind === 'span' ? selected.value.id : undefined;
  const found = id === undefined ? undefined : placed.find(({ span }) => span.id === id);
  if (found === undefined) return nothing;
  const { x, width: wide } = extentOf(found.span, view);
  return svg`<rect class="outline" x=${x - 1.5} y=${barTop(found.lane) - 1.5} width=${wide + 3} height="23" rx="4"></rect>`;
}

function point(event: PointerEvent | undefined, placed: readonly PlacedSpan[], view: View): void {
  pointed.value = event === undefined ? undefined : spanAt(placed, view, event.offsetX, event.offsetY)?.id;
}

let hasDragged = false;

function click(event: MouseEvent, placed: readonly PlacedSpan[], view: View): void {
  if (hasDragged) return;
  const span = spanAt(placed, view, event.offsetX, event.offsetY);
  if (span !== undefined) open({ kind: 'span', id: span.id });
}

/** Moves along while the button is held. */
function dragged(event: PointerEvent): void {
  const element = event.currentTarget as SVGElement;
  let last = event.clientX;
  hasDragged = false;
  const move = ({ clientX }: PointerEvent): void => {
    if (!hasDragged && Math.abs(clientX - last) < 4) return;
    hasDragged = true;
    pan((last - clientX) / Math.max(width.value, 1));
    last = clientX;
  };
  const end = (): void => {
    element.removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
  };
  element.addEventListener('pointermove', move);
  addEventListener('pointerup', end);
}

function wheel(event: WheelEvent): void {
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan((event.deltaX || event.deltaY) / Math.max(width.value, 1));
  } else if (event.ctrlKey || event.metaKey || isZoomed() || event.deltaY < 0) {
    zoom(1.0015 ** event.deltaY, event.offsetX / Math.max(width.value, 1));
  } else return;
  event.preventDefault();
}

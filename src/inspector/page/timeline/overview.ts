import { signal } from '@preact/signals-core';
import { html, svg, type TemplateResult } from 'lit-html';
import { attached, measured } from '../parts/dom.js';
import type { ChartContent } from './chart.js';
import { range, setRange, showAll } from './zoom.js';

const HEIGHT = 36;
const width = signal(0);

/** All of the run in a strip; dragging over it chooses what the lanes show. */
export function overview({ placed, lanes, folded, now }: ChartContent): TemplateResult {
  const wide = width.value;
  const row = Math.min((HEIGHT - 8) / Math.max(lanes, 1), 6);
  const paths = new Map<string, string>();
  const drawn = new Map<string, number>();
  for (const { span, lane } of placed) {
    const x = folded.at(span.start) * wide;
    const end = Math.max(folded.at(span.end ?? now) * wide, x + 1);
    const place = `${lane} ${span.kind}`;
    if (end - (drawn.get(place) ?? -1) < 0.75) continue;
    drawn.set(place, end);
    const path = `M${x.toFixed(1)} ${(4 + lane * row).toFixed(1)}h${(end - x).toFixed(1)}v${(row * 0.75).toFixed(1)}h-${(end - x).toFixed(1)}z`;
    paths.set(span.kind, (paths.get(span.kind) ?? '') + path);
  }
  const { from, to } = range.value;
  return html`<div class="overview" ${attached(measured(setWidth))}>
    <svg height=${HEIGHT} width=${Math.max(wide, 1)} aria-hidden="true" @pointerdown=${choose} @dblclick=${showAll}>
      ${[...paths].map(([kind, path]) => svg`<path class="mini kind-${kind}" d=${path}></path>`)}
      ${svg`<rect class="shade" x="0" y="0" width=${from * wide} height=${HEIGHT}></rect>
        <rect class="shade" x=${to * wide} y="0" width=${(1 - to) * wide} height=${HEIGHT}></rect>
        <rect class="window" x=${from * wide + 0.5} y="0.5" width=${Math.max((to - from) * wide - 1, 2)} height=${HEIGHT - 1} rx="3"></rect>`}
    </svg>
  </div>`;
}

function setWidth(pixels: number): void {
  width.value = pixels;
}

/** From where the button goes down to where it goes up. */
function choose(event: PointerEvent): void {
  const element = event.currentTarget as SVGElement;
  const { left } = element.getBoundingClientRect();
  const place = (each: PointerEvent): number => (each.clientX - left) / Math.max(width.value, 1);
  const start = place(event);
  element.setPointerCapture(event.pointerId);
  const move = (each: PointerEvent): void => {
    const end = place(each);
    if (Math.abs(end - start) * width.value > 3) setRange(Math.min(start, end), Math.max(start, end));
  };
  const end = (): void => {
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', end);
  };
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', end);
}

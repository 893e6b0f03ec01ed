import type { Span, SpanKind } from '../../../observe/run/views.js';
import { cut, duration, toolParts } from '../format.js';
import type { PlacedSpan } from './lanes.js';
import type { FoldedTime } from './scale.js';
import type { Range } from './zoom.js';

export const AXIS_HEIGHT = 24;
export const LANE_HEIGHT = 26;
const BAR_HEIGHT = 20;
const RADIUS = 3;
/** About as wide as a character of a label. */
const CHARACTER_PX = 6.8;
const NARROWEST_LABEL_PX = 40;

/** Where something is on the screen. */
export interface View {
  readonly folded: FoldedTime;
  readonly range: Range;
  readonly width: number;
  /** The end of what is open. */
  readonly now: number;
}

export interface BarLabel {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly kind: SpanKind;
}

export interface Drawing {
  /** One path for all bars of a kind: ten thousand spans are not more elements than ten. */
  readonly bars: ReadonlyMap<string, string>;
  /** Before the first token. */
  readonly waits: string;
  readonly critical: ReadonlyMap<string, string>;
  readonly errors: string;
  readonly labels: readonly BarLabel[];
}

export function xOf(time: number, { folded, range, width }: View): number {
  return ((folded.at(time) - range.from) / (range.to - range.from)) * width;
}

export const barTop = (lane: number): number =>
  AXIS_HEIGHT + lane * LANE_HEIGHT + (LANE_HEIGHT - BAR_HEIGHT) / 2;

/** Left edge and width of a span, which is never too narrow to be seen. */
export function extentOf(span: Span, view: View): { x: number; width: number } {
  const x = xOf(span.start, view);
  return { x, width: Math.max(xOf(span.end ?? view.now, view) - x, 1.5) };
}

export function draw(placed: readonly PlacedSpan[], critical: ReadonlySet<string>, view: View): Drawing {
  const bars = new Map<string, string>();
  const marks = new Map<string, string>();
  const labels: BarLabel[] = [];
  /** How far each lane is drawn: what lies within one pixel of it is not drawn again. */
  const drawn = new Map<string, number>();
  let waits = '';
  let errors = '';
  for (const { span, lane } of placed) {
    const { x: left, width: whole } = extentOf(span, view);
    if (left > view.width || left + whole < 0) continue;
    // What is far outside is cut, because browsers draw very long shapes badly.
    const x = Math.max(left, -20);
    const width = Math.min(left + whole, view.width + 20) - x;
    const y = barTop(lane);
    const name = span.status === 'open' ? `${span.kind} is-open` : span.kind;
    const place = `${lane} ${name}`;
    if (x + width - (drawn.get(place) ?? Number.NEGATIVE_INFINITY) < 0.75) continue;
    drawn.set(place, x + width);
    bars.set(name, (bars.get(name) ?? '') + box(x, y, width, BAR_HEIGHT));
    if (critical.has(span.id))
      marks.set(span.kind, (marks.get(span.kind) ?? '') + box(x, y + BAR_HEIGHT - 3, width, 3));
    if (span.status === 'error' || span.status === 'cut') errors += box(x, y, Math.min(width, 3), BAR_HEIGHT);
    waits += waitOf(span, x, y, view);
    const label = labelOf(span, x, width, y, view);
    if (label !== undefined) labels.push(label);
  }
  return { bars, waits, critical: marks, errors, labels };
}

function waitOf(span: Span, x: number, y: number, view: View): string {
  const { firstTokenMs } = span.facts;
  if (typeof firstTokenMs !== 'number') return '';
  const first = xOf(span.start + firstTokenMs, view);
  return first - x < 3 ? '' : box(x, y, first - x, BAR_HEIGHT);
}

function labelOf(span: Span, x: number, width: number, y: number, view: View): BarLabel | undefined {
  const start = Math.max(x, 0);
  const room = Math.min(x + width, view.width) - start - 12;
  if (room < NARROWEST_LABEL_PX - 12) return undefined;
  const most = Math.floor(room / CHARACTER_PX);
  const name = labelText(span);
  const time = duration((span.end ?? view.now) - span.start);
  const text = name.length + time.length + 1 <= most ? `${name} ${time}` : cut(name, most);
  return { x: start + 6, y: y + 14, text, kind: span.kind };
}

export function labelText({ kind, name }: Span): string {
  const { tool } = toolParts(name);
  return kind === 'person' ? `ask ${tool}` : kind === 'tool' ? tool : name;
}

/** A rectangle with round corners where there is room for them, as a part of a path. */
function box(x: number, y: number, width: number, height: number): string {
  const [left, w] = [x.toFixed(1), width.toFixed(1)];
  const radius = width > 8 && height > 8 ? RADIUS : 0;
  if (radius === 0) return `M${left} ${y}h${w}v${height}h-${w}z`;
  const [h, v, corner] = [(width - 2 * radius).toFixed(1), height - 2 * radius, `${radius} ${radius} 0 0 1 `];
  return `M${(x + radius).toFixed(1)} ${y}h${h}a${corner}3 3v${v}a${corner}-3 3h-${h}a${corner}-3 -3v-${v}a${corner}3 -3z`;
}

/** The span at a point of the drawing. */
export function spanAt(placed: readonly PlacedSpan[], view: View, x: number, y: number): Span | undefined {
  const lane = Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT);
  let best: Span | undefined;
  let nearest = 4;
  for (const each of placed) {
    if (each.lane !== lane) continue;
    const { x: left, width } = extentOf(each.span, view);
    const distance = Math.max(left - x, x - left - width, 0);
    if (distance >= nearest) continue;
    best = each.span;
    nearest = distance;
  }
  return best;
}

import { isRecord } from '../protocol/base/kinds.js';

/** What is left of a long text in a frame that is too long. */
const KEPT_CHARS = 1024;
const CUT = /^(.*)… <cut: \d+ characters>$/s;

/** The frame as JSON, with long texts cut, and only its type if that is not enough. */
export function cutFrame(json: string, maxBytes: number): string {
  const frame: unknown = JSON.parse(json);
  try {
    const shorter = JSON.stringify(shortened(frame));
    if (shorter.length <= maxBytes) return shorter;
  } catch {
    // Deeper than the stack.
  }
  return JSON.stringify({ type: isRecord(frame) ? frame.type : 'unknown' });
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= KEPT_CHARS * 2 ? value : cutText(value);
  if (Array.isArray(value)) return value.map(shortened);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
}

function cutText(text: string): string {
  return `${text.slice(0, KEPT_CHARS)}… <cut: ${text.length - KEPT_CHARS} characters>`;
}

/** How a text began that was cut; undefined if it was not. */
export function beginningOfCut(text: string): string | undefined {
  return CUT.exec(text)?.[1];
}

import { isRecord } from '../../protocol/base/kinds.js';

/*
 * What an agent sends may have any shape. These readers never throw, and give what the caller can go on with.
 */

export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze({});

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : NOTHING;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordsOf(value: unknown): readonly Fields[] {
  return listOf(value).filter(isRecord);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function stringsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** As JSON; undefined has none, and neither has what cannot be written. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** The text of the content of a message or a result; for other blocks, only their type. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map((block) => stringOf(block.text) ?? `[${stringOf(block.type) ?? 'block'}]`)
    .join(' ');
}

/** On one line, and not longer than this. */
export function short(text: string, length = 80): string {
  // More than is shown need not be looked at.
  const line = text
    .slice(0, length * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= length && text.length <= length * 4 ? line : `${line.slice(0, length - 1)}…`;
}

/** `4 ms`, `2.1 s`, `3 min 5 s`. */
export function timeText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

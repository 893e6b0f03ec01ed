import { oneLine } from '../terminal/harmless.js';
import type { Screen } from '../terminal/screen.js';
import { cut, widthOf } from '../terminal/text-width.js';

/** `mcp__shop__stock` in short: `shop.stock`. */
export function shownName(toolName: string | undefined): string {
  if (typeof toolName !== 'string' || toolName === '') return '(a call without a name)';
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? [];
  return oneLine(server === undefined ? toolName : `${server}.${name}`);
}

export function argumentsText(input: unknown): string {
  const text = JSON.stringify(input) ?? '';
  return text === '{}' ? '' : text;
}

export function timeText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** A pipe has no width, but nobody wants a page of JSON in a log. */
const PIPE_COLUMNS = 400;

export interface FinishedCall {
  name: string | undefined;
  input: unknown;
  outcome: string;
  isError: boolean;
  milliseconds: number;
  /** The call of a subagent. */
  isNested: boolean;
}

/** One line: `✓ calc.add {"a":15,"b":27} → 42 (3 ms)`, with the input and the outcome cut to fit. */
export function callLine(call: FinishedCall, { paint, columns = PIPE_COLUMNS }: Screen): string {
  const mark = call.isError ? '✗' : '✓';
  const indent = call.isNested ? '  ' : '';
  const name = shownName(call.name);
  const time = `(${timeText(call.milliseconds)})`;
  // The mark, the spaces and the arrow.
  const room = columns - widthOf(indent) - widthOf(name) - widthOf(time) - 7;
  const input = oneLine(argumentsText(call.input));
  const outcome = oneLine(call.outcome);
  const forOutcome = Math.max(Math.ceil(room / 2), room - widthOf(input));
  const shownOutcome = cut(outcome, forOutcome);
  const shownInput = cut(input, room - widthOf(shownOutcome));
  const colour = call.isError ? paint.red : paint.green;
  const parts = [
    `${indent}${colour(mark)}`,
    paint.bold(name),
    shownInput,
    '→',
    call.isError ? paint.red(shownOutcome) : shownOutcome,
    paint.dim(time),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

import { harmless } from './harmless.js';
import { SEQUENCES } from './palette.js';

/** The part of a stream that is needed; `process.stdout` and `process.stderr` satisfy it. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/**
 * Where all text of the command goes out. Whatever is in it, a terminal gets no control sequences but the
 * colours of the palette: much of it was written by others (a checkout, a server, a model).
 */
export function print(text: string, output: Output = process.stdout): void {
  output.write(text.split(SEQUENCES).map(kept).join(''));
}

/** For scripts: one value, exact. What a terminal would act on is written as an escape of JSON. */
export function printJson(value: unknown, { indent, output = process.stdout }: JsonLayout = {}): void {
  output.write(`${JSON.stringify(value, null, indent).replaceAll(UNESCAPED, escaped)}\n`);
}

interface JsonLayout {
  indent?: number;
  output?: Output;
}

/** What JSON leaves as it is: the rest of the control characters, and what reorders text. */
const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Every second part is a sequence of the palette. */
function kept(part: string, index: number): string {
  return index % 2 === 1 ? part : harmless(part);
}

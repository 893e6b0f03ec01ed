import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would act on these.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** They would show text in another order than it is in. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Removes what would control the terminal, such as escape sequences. Newlines and tabs stay. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROL, '').replaceAll(REORDERING, '');
}

/** The same on one line: for names and values inside a line of ours. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ').trim();
}

/** The same with every further line indented, so that none can pass for a line of ours. */
export function hanging(text: string): string {
  return harmless(text).replaceAll(/\n(?=\S)/g, '\n  ');
}

// Finds the text that an edit is about and replaces it, and nothing else: every other character of the file stays.

import { type TextFile, withPlainLineEnds } from './text-file.js';

export interface Replacement {
  readonly find: string;
  readonly put: string;
  readonly all: boolean;
}

export type Replaced =
  | {
      readonly kind: 'done';
      readonly raw: string;
      /** What was found, as it is in the file. */
      readonly found: string;
    }
  | { readonly kind: 'missing' }
  /** It could be meant in several places. */
  | { readonly kind: 'ambiguous'; readonly count: number };

/** `find` is not empty. */
export function replaceIn({ raw, lineEnd }: TextFile, { find, put, all }: Replacement): Replaced {
  const hasWindowsEnds = raw.includes('\r\n');
  const text = hasWindowsEnds ? withPlainLineEnds(raw) : raw;
  const wanted = hasWindowsEnds ? withPlainLineEnds(find) : find;
  const match = findIn(text, wanted, all);
  const [first] = match.places;
  if (first === undefined) return { kind: 'missing' };
  if (!all && match.count > 1) return { kind: 'ambiguous', count: match.count };
  const toRaw = hasWindowsEnds ? rawPlaces(raw) : (place: number) => place;
  let result = '';
  let copied = 0;
  for (const place of match.places) {
    const found = text.slice(place, place + wanted.length);
    const end = place + wanted.length + (takesLineEnd(text, place, wanted, put) ? 1 : 0);
    const given = match.isQuoted ? quotedLike(put, found) : put;
    result += raw.slice(copied, toRaw(place));
    result += lineEnd === '\r\n' ? withPlainLineEnds(given).replaceAll('\n', '\r\n') : given;
    copied = toRaw(end);
  }
  const found = text.slice(first, first + wanted.length);
  return { kind: 'done', raw: result + raw.slice(copied), found };
}

interface Match {
  /** Where it begins; with several for `all`, none overlaps another. */
  readonly places: readonly number[];
  /** Overlapping places count too: each could be meant. */
  readonly count: number;
  /** Typographic quotes of the file were taken for straight ones. */
  readonly isQuoted: boolean;
}

function findIn(text: string, find: string, all: boolean): Match {
  const exact = placesOf(text, find, all);
  if (exact.places.length > 0) return { ...exact, isQuoted: false };
  return { ...placesOf(straight(text), straight(find), all), isQuoted: true };
}

function placesOf(text: string, find: string, all: boolean): { places: number[]; count: number } {
  const places: number[] = [];
  let count = 0;
  let free = 0;
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1)) {
    count += 1;
    if (at < free || (!all && places.length > 0)) continue;
    places.push(at);
    free = at + find.length;
  }
  return { places, count };
}

/** A whole line that is replaced by nothing goes with its end: an empty line is not what was meant. */
function takesLineEnd(text: string, place: number, find: string, put: string): boolean {
  const isWholeLine = place === 0 || text[place - 1] === '\n';
  return put === '' && isWholeLine && !find.endsWith('\n') && text[place + find.length] === '\n';
}

/** From places in the text with plain line ends to places in the text as it is on disk. */
function rawPlaces(raw: string): (place: number) => number {
  const ends: number[] = [];
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2)) ends.push(at - ends.length);
  return (place) => place + countBelow(ends, place);
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each quote is one character, so that places stay the same. */
function straight(text: string): string {
  return text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"');
}

/** Straight quotes as typographic ones, where the text that they replace has such. */
function quotedLike(put: string, found: string): string {
  let result = put;
  if (/[“”]/.test(found)) result = curled(result, '"', '“', '”');
  if (/[‘’]/.test(found)) result = curled(result, "'", '‘', '’');
  return result;
}

function curled(text: string, plain: string, opening: string, closing: string): string {
  return text.replaceAll(plain, (_, place: number) =>
    place === 0 || /[\s([{—–“‘]/.test(text[place - 1] as string) ? opening : closing,
  );
}

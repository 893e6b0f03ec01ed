import type { FileMatches, MatchedLine, SearchQuery } from '../workspace.js';

const NUL = 0;
const LINE_BREAK = 10;
const COLON = 58;
/** A note about a file, in place of lines of it. It has no zero byte, which lines have after their path. */
const BINARY = /^([^\0]+?): (?:WARNING: stopped searching binary file|binary file matches)[^\n]*\n/;

interface Found {
  path: string;
  modifiedMs?: number;
  isBinary?: true;
  count?: number;
  lines?: MatchedLine[];
}

/** Reads what `rg --null` writes, as it comes. Each path ends with a zero byte. */
export class RipgrepOutput {
  readonly #mode: SearchQuery['mode'];
  readonly #files: Found[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #lastPath: Buffer = Buffer.alloc(0);

  constructor(mode: SearchQuery['mode']) {
    this.#mode = mode;
  }

  files(): (FileMatches & Found)[] {
    return this.#files;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const isList = this.#mode === 'names' || this.#mode === 'files';
    let start = 0;
    for (let next: number | undefined; ; start = next) {
      next = isList ? this.#path(bytes, start) : this.#line(bytes, start);
      if (next === undefined) break;
    }
    this.#rest = bytes.subarray(start);
  }

  /** Each of them returns where it has come to; undefined: the record is not complete. */
  #path(bytes: Buffer, start: number): number | undefined {
    const end = bytes.indexOf(NUL, start);
    if (end === -1) return undefined;
    this.#files.push({ path: nameOf(bytes.subarray(start, end)) });
    return end + 1;
  }

  #line(bytes: Buffer, start: number): number | undefined {
    const pathEnd = bytes.indexOf(NUL, start);
    const end = bytes.indexOf(LINE_BREAK, pathEnd === -1 ? start : pathEnd);
    const noted = this.#note(bytes, start, pathEnd === -1 ? bytes.length : pathEnd);
    if (noted !== undefined) return noted;
    if (pathEnd === -1 || end === -1) return undefined;
    const file = this.#fileOf(bytes.subarray(start, pathEnd));
    if (this.#mode === 'counts') file.count = Number(bytes.toString('latin1', pathEnd + 1, end));
    else file.lines?.push(lineOf(bytes, pathEnd + 1, end));
    return end + 1;
  }

  /** Lines of one file follow each other. */
  #fileOf(path: Buffer): Found {
    const last = this.#files.at(-1);
    if (last !== undefined && path.equals(this.#lastPath)) return last;
    // A copy: the piece that it is a part of can go.
    this.#lastPath = Buffer.from(path);
    const file: Found = { path: nameOf(path), ...(this.#mode === 'lines' && { lines: [] }) };
    this.#files.push(file);
    return file;
  }

  #note(bytes: Buffer, start: number, end: number): number | undefined {
    const firstBreak = bytes.indexOf(LINE_BREAK, start);
    if (firstBreak === -1 || firstBreak >= end) return undefined;
    const [whole, path = ''] = BINARY.exec(bytes.toString('latin1', start, end)) ?? [];
    if (whole === undefined) return undefined;
    this.#fileOf(Buffer.from(path, 'latin1')).isBinary = true;
    return start + whole.length;
  }
}

/** Without the `./` that it was asked to search in. */
function nameOf(path: Buffer): string {
  const text = process.platform === 'win32' ? path.toString().replaceAll('\\', '/') : path.toString();
  return text.startsWith('./') ? text.slice(2) : text;
}

/** `12:text`, or `12-text` around a match. */
function lineOf(bytes: Buffer, start: number, end: number): MatchedLine {
  let at = start;
  while (at < end && isDigit(bytes[at])) at += 1;
  const isCut = bytes[end - 1] === 13;
  return {
    number: Number(bytes.toString('latin1', start, at)),
    text: bytes.toString('utf8', Math.min(at + 1, end), isCut ? end - 1 : end),
    isContext: bytes[at] !== COLON,
  };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

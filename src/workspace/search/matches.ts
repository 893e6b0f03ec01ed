import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { FileMatches, MatchedLine, SearchQuery } from '../workspace.js';
import { MAX_LINE_CHARS } from './rules.js';

/** As much of a file ripgrep looks at before it calls it text. */
const HEAD_BYTES = 64 * 1024;

/** What one file contains of what is looked for; undefined: nothing. */
export async function matchesIn(
  content: Uint8Array,
  expression: RegExp,
  query: SearchQuery,
  isNamed: boolean,
  signal: AbortSignal,
): Promise<Omit<FileMatches, 'path'> | undefined> {
  const decoded = decode(content, isNamed);
  if (decoded === undefined) return undefined;
  const { text, isBinary } = decoded;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const found = query.multiline
    ? acrossLines(text, expression)
    : await lineByLine(lines, expression, query, signal);
  if (found.length === 0) return undefined;
  const binary = isBinary ? { isBinary } : {};
  if (query.mode === 'files') return binary;
  if (query.mode === 'counts')
    return { ...binary, count: query.multiline ? found.length : linesOf(found).size };
  if (isBinary) return { isBinary, lines: [] };
  return { lines: query.onlyMatching ? parts(found) : withContext(lines, linesOf(found), query) };
}

interface Match {
  /** From 0; the last line is the same one unless the match reaches over several. */
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

function decode(content: Uint8Array, isNamed: boolean): { text: string; isBinary?: true } | undefined {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(content) };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(content) };
  const zero = content.indexOf(0);
  if (zero === -1) return { text: new TextDecoder().decode(content) };
  if (isNamed) return { text: new TextDecoder().decode(content), isBinary: true };
  return zero < HEAD_BYTES ? undefined : { text: new TextDecoder().decode(content.subarray(0, zero)) };
}

async function lineByLine(
  lines: readonly string[],
  expression: RegExp,
  { mode, onlyMatching = false }: SearchQuery,
  signal: AbortSignal,
): Promise<Match[]> {
  const found: Match[] = [];
  let rested = clock.monotonic();
  for (const [index, line] of lines.entries()) {
    expression.lastIndex = 0;
    if (onlyMatching && mode === 'lines') {
      for (const [text] of line.matchAll(expression)) found.push({ first: index, last: index, text });
    } else if (expression.test(line)) {
      found.push({ first: index, last: index, text: line });
      if (mode === 'files') break;
    }
    if (index % 256 !== 0 || clock.monotonic() - rested < LIMITS.searchSliceMs) continue;
    await new Promise<void>((resolve) => clock.setImmediate(resolve));
    rested = clock.monotonic();
    signal.throwIfAborted();
  }
  return found;
}

function acrossLines(text: string, expression: RegExp): Match[] {
  const found: Match[] = [];
  let line = 0;
  let at = 0;
  const lineAt = (end: number): number => {
    for (let next = text.indexOf('\n', at); next !== -1 && next < end; next = text.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
  for (const match of text.matchAll(expression)) {
    if (match.index === text.length && text.endsWith('\n')) break;
    const first = lineAt(match.index);
    const last = lineAt(Math.max(match.index, match.index + match[0].length - 1));
    found.push({ first, last, text: match[0] });
  }
  return found;
}

function linesOf(found: readonly Match[]): Set<number> {
  const numbers = new Set<number>();
  for (const { first, last } of found) for (let line = first; line <= last; line += 1) numbers.add(line);
  return numbers;
}

/** One line of the answer for each line of a part. */
function parts(found: readonly Match[]): MatchedLine[] {
  return found
    .filter(({ text }) => text !== '')
    .flatMap(({ first, text }) =>
      text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => shown(first + index, line, false)),
    );
}

function withContext(
  lines: readonly string[],
  matched: ReadonlySet<number>,
  query: SearchQuery,
): MatchedLine[] {
  const { linesBefore = 0, linesAfter = 0 } = query;
  const wanted = new Set<number>();
  for (const line of matched) {
    const end = Math.min(line + linesAfter, lines.length - 1);
    for (let each = Math.max(0, line - linesBefore); each <= end; each += 1) wanted.add(each);
  }
  return [...wanted]
    .sort((left, right) => left - right)
    .map((line) => shown(line, lines[line] ?? '', !matched.has(line)));
}

function shown(line: number, text: string, isContext: boolean): MatchedLine {
  const isLong = text.length > MAX_LINE_CHARS || new TextEncoder().encode(text).length > MAX_LINE_CHARS;
  const cut = isContext ? '[Omitted long context line]' : '[Omitted long matching line]';
  return { number: line + 1, text: isLong ? cut : text.replace(/\r$/, ''), isContext };
}

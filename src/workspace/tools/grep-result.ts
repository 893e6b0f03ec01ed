import type { ToolOutcome } from '../../runtime/tools/tool-port.js';
import type { FileMatches, MatchedLine, SearchAnswer } from '../workspace.js';
import type { GrepCall } from './grep-input.js';
import { hasShape } from './output-shape.js';
import { byPath, CUT_SHORT, NO_FILES, newestFirst } from './search-place.js';

type Found = SearchAnswer & { nameOf(file: FileMatches): string };

const NO_MATCHES = 'No matches found';
const NOTHING_HERE = 'Nothing is left at this offset';

/** What the model and the host are told. A file that was asked for by its path is not named again. */
export function grepOutcome(call: GrepCall, found: Found, isFile: boolean): ToolOutcome {
  const detail = outputOf(call, found, isFile);
  return { content: found.isCut ? `${wordsOf(detail)}\n\n(${CUT_SHORT})` : wordsOf(detail), detail };
}

/** What the model reads of an output that a hook has changed. */
export function shownGrep(output: unknown): string | undefined {
  if (!hasShape<GrepOutput>(output, { mode: 'string', filenames: 'array', numFiles: 'number' }))
    return undefined;
  const isComplete = hasShape(output, SHAPES[output.mode] ?? { mode: 'boolean' });
  return isComplete ? wordsOf(output) : undefined;
}

const SHAPES = {
  files_with_matches: { totalFiles: 'number' },
  count: { content: 'string', numMatches: 'number' },
  content: { content: 'string', numLines: 'number', totalLines: 'number' },
} as const;

function outputOf(call: GrepCall, found: Found, isFile: boolean): GrepOutput {
  if (call.mode === 'files_with_matches') return fileNames(call, found);
  return call.mode === 'count' ? counts(call, found) : linesFound(call, found, isFile);
}

/** The output for the host. */
type GrepOutput = FileNames | Counts | Lines;

/** Where not everything is shown. */
interface Applied {
  readonly appliedLimit?: number;
  readonly appliedOffset?: number;
}

interface FileNames extends Applied {
  readonly mode: 'files_with_matches';
  readonly filenames: readonly string[];
  readonly numFiles: number;
  readonly totalFiles: number;
}

interface Counts extends Applied {
  readonly mode: 'count';
  readonly numFiles: number;
  readonly filenames: readonly string[];
  readonly content: string;
  readonly numMatches: number;
}

interface Lines extends Applied {
  readonly mode: 'content';
  readonly numFiles: number;
  readonly filenames: readonly string[];
  readonly content: string;
  readonly numLines: number;
  readonly totalLines: number;
}

function page(
  { limit, offset }: GrepCall,
  all: readonly string[],
): { entries: readonly string[]; applied: Applied } {
  const isLimited = limit > 0 && all.length - offset > limit;
  const entries = all.slice(offset, isLimited ? offset + limit : undefined);
  const applied = {
    ...(isLimited && { appliedLimit: limit }),
    ...(offset > 0 && { appliedOffset: offset }),
  };
  return { entries, applied };
}

function fileNames(call: GrepCall, found: Found): FileNames {
  const all = [...found.files].sort(newestFirst).map(found.nameOf);
  const { entries, applied } = page(call, all);
  const numbers = { numFiles: entries.length, totalFiles: all.length };
  return { mode: 'files_with_matches', filenames: entries, ...numbers, ...applied };
}

function counts(call: GrepCall, found: Found): Counts {
  const files = [...found.files].sort(byPath);
  const { entries, applied } = page(
    call,
    files.map((file) => `${found.nameOf(file)}:${file.count ?? 0}`),
  );
  const numMatches = files.reduce((sum, { count = 0 }) => sum + count, 0);
  const content = entries.join('\n');
  return { mode: 'count', numFiles: files.length, filenames: [], content, numMatches, ...applied };
}

function linesFound(call: GrepCall, found: Found, isFile: boolean): Lines {
  const all = [...found.files].sort(byPath).flatMap((file, index) => {
    const lines = linesOf(call, file, isFile ? '' : found.nameOf(file));
    return call.hasContext && index > 0 ? [SEPARATOR, ...lines] : lines;
  });
  const { entries, applied } = page(call, all);
  const content = entries.join('\n');
  const numbers = { numLines: entries.length, totalLines: all.length };
  return { mode: 'content', numFiles: 0, filenames: [], content, ...numbers, ...applied };
}

/** What the model reads of an output. */
function wordsOf(output: GrepOutput): string {
  const { appliedLimit: limit, appliedOffset: offset } = output;
  const parts = [
    limit === undefined ? '' : `limit: ${limit}`,
    offset === undefined ? '' : `offset: ${offset}`,
  ];
  const note = parts.filter((part) => part !== '').join(', ');
  if (output.mode === 'files_with_matches') return namesInWords(output, note);
  return output.mode === 'count' ? countsInWords(output, note) : linesInWords(output, note);
}

function namesInWords({ filenames, totalFiles: total }: FileNames, note: string): string {
  const head = `Found ${many(filenames.length, 'file')}${note === '' ? '' : ` (of ${total}; ${note})`}`;
  const none = total === 0 ? NO_FILES : `${NOTHING_HERE} (${many(total, 'file')}; ${note})`;
  return filenames.length === 0 ? none : [head, ...filenames].join('\n');
}

function countsInWords({ content, numMatches, numFiles }: Counts, note: string): string {
  const sum = `${many(numMatches, 'match', 'matches')} in ${many(numFiles, 'file')}`;
  const none = numFiles === 0 ? NO_MATCHES : NOTHING_HERE;
  return `${content || none}\n\n(${sum}${note === '' ? '' : `; this page: ${note}`})`;
}

function linesInWords({ content, numLines, totalLines }: Lines, note: string): string {
  const none = totalLines === 0 ? NO_MATCHES : NOTHING_HERE;
  const shown = numLines === 0 ? none : content;
  return `${shown}${note === '' ? '' : `\n\n(of ${many(totalLines, 'line')}; ${note})`}`;
}

const SEPARATOR = '--';

/** `path:3:text`, and `path-2-text` around a match. */
function linesOf(call: GrepCall, { lines = [], isBinary }: FileMatches, name: string): string[] {
  const written: string[] = [];
  let last: MatchedLine | undefined;
  for (const line of lines) {
    const sign = line.isContext ? '-' : ':';
    const isApart = last !== undefined && line.number > last.number + 1;
    if (call.hasContext && isApart) written.push(SEPARATOR);
    const number = call.hasLineNumbers ? `${line.number}${sign}` : '';
    written.push(`${name === '' ? '' : `${name}${sign}`}${number}${line.text}`);
    last = line;
  }
  if (isBinary) written.push(`${name === '' ? '' : `${name}: `}binary file matches`);
  return written;
}

function many(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

import type { ToolOutcome } from '../../runtime/tools/tool-port.js';
import type { FileMatches, MatchedLine, SearchAnswer } from '../workspace.js';
import type { GrepCall } from './grep-input.js';
import { byPath, CUT_SHORT, NO_FILES, newestFirst } from './search-place.js';

type Found = SearchAnswer & { nameOf(file: FileMatches): string };

const NO_MATCHES = 'No matches found';
const NOTHING_HERE = 'Nothing is left at this offset';

/** What the model and the host are told. A file that was asked for by its path is not named again. */
export function grepOutcome(call: GrepCall, found: Found, isFile: boolean): ToolOutcome {
  if (call.mode === 'files_with_matches') return fileNames(call, found);
  return call.mode === 'count' ? counts(call, found) : content(call, found, isFile);
}

interface Page {
  readonly entries: readonly string[];
  readonly total: number;
  /** Fields for the host, where not everything is shown. */
  readonly applied: { appliedLimit?: number; appliedOffset?: number };
  /** The same for the model. */
  readonly note: string;
}

function page({ limit, offset }: GrepCall, all: readonly string[]): Page {
  const isLimited = limit > 0 && all.length - offset > limit;
  const entries = all.slice(offset, isLimited ? offset + limit : undefined);
  const applied = {
    ...(isLimited && { appliedLimit: limit }),
    ...(offset > 0 && { appliedOffset: offset }),
  };
  const parts = [isLimited ? `limit: ${limit}` : '', offset > 0 ? `offset: ${offset}` : ''];
  return { entries, total: all.length, applied, note: parts.filter((part) => part !== '').join(', ') };
}

function fileNames(call: GrepCall, found: Found): ToolOutcome {
  const all = [...found.files].sort(newestFirst).map(found.nameOf);
  const { entries, total, applied, note } = page(call, all);
  const head = `Found ${many(entries.length, 'file')}${note === '' ? '' : ` (of ${total}; ${note})`}`;
  const none = total === 0 ? NO_FILES : `${NOTHING_HERE} (${many(total, 'file')}; ${note})`;
  return {
    content: told(entries.length === 0 ? none : [head, ...entries].join('\n'), found),
    detail: {
      mode: call.mode,
      filenames: entries,
      numFiles: entries.length,
      totalFiles: total,
      ...applied,
    },
  };
}

function counts(call: GrepCall, found: Found): ToolOutcome {
  const files = [...found.files].sort(byPath);
  const { entries, applied, note } = page(
    call,
    files.map((file) => `${found.nameOf(file)}:${file.count ?? 0}`),
  );
  const numMatches = files.reduce((sum, { count = 0 }) => sum + count, 0);
  const sum = `${many(numMatches, 'match', 'matches')} in ${many(files.length, 'file')}`;
  const shown = entries.join('\n');
  const none = files.length === 0 ? NO_MATCHES : NOTHING_HERE;
  return {
    content: told(`${shown || none}\n\n(${sum}${note === '' ? '' : `; this page: ${note}`})`, found),
    detail: {
      mode: call.mode,
      numFiles: files.length,
      filenames: [],
      content: shown,
      numMatches,
      ...applied,
    },
  };
}

function content(call: GrepCall, found: Found, isFile: boolean): ToolOutcome {
  const all = [...found.files].sort(byPath).flatMap((file, index) => {
    const lines = linesOf(call, file, isFile ? '' : found.nameOf(file));
    return call.hasContext && index > 0 ? [SEPARATOR, ...lines] : lines;
  });
  const { entries, total, applied, note } = page(call, all);
  const shown = entries.join('\n');
  const none = total === 0 ? NO_MATCHES : NOTHING_HERE;
  return {
    content: told(
      `${entries.length === 0 ? none : shown}${note === '' ? '' : `\n\n(of ${many(total, 'line')}; ${note})`}`,
      found,
    ),
    detail: {
      mode: call.mode,
      numFiles: 0,
      filenames: [],
      content: shown,
      numLines: entries.length,
      totalLines: total,
      ...applied,
    },
  };
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

function told(words: string, { isCut }: Found): string {
  return isCut ? `${words}\n\n(${CUT_SHORT})` : words;
}

import { failedOutcome, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { decodeText, readable } from '../files/text-file.js';
import { firstPage, MAX_READ_TOKENS, numbered, pageOf, type TextPage } from '../files/text-page.js';
import type { FileTools } from './changed-file.js';
import { WORDS } from './file-words.js';
import type { ReadFields, ReadTarget } from './read.js';

/** Of a file that is read as a whole. */
const MAX_WHOLE_BYTES = 256 * 1024;
/** What even `allow_large` does not exceed: no model holds much more. */
export const MOST_CHARS = 1_000_000;

const REMEDY =
  'Read a part of it with `offset` and `limit`, or search it; only if you need all of it, set `allow_large` to true.';

export async function readText(
  { context, memory }: FileTools,
  { file_path: filePath, offset, limit, allow_large: isLargeAllowed = false }: ReadFields,
  { real, size, signal }: ReadTarget,
): Promise<ToolOutcome> {
  const isWhole = offset === undefined && limit === undefined;
  if (isWhole && !isLargeAllowed && size > MAX_WHOLE_BYTES) {
    return failedOutcome(
      `The file has ${Math.ceil(size / 1024)} KB; at most 256 KB are read at once. ${REMEDY}`,
    );
  }
  const { raw, damage } = decodeText(await context.workspace.read(real, { signal }));
  const asked = pageOf(readable(raw), offset, limit);
  const isTooLong = asked.tokens > MAX_READ_TOKENS;
  if (isLargeAllowed ? asked.tokens * 4 > MOST_CHARS : isTooLong && !isWhole) {
    const most = isLargeAllowed ? MOST_CHARS / 4 : MAX_READ_TOKENS;
    return failedOutcome(
      `These are about ${asked.tokens} tokens; at most ${most} are read at once. ${isLargeAllowed ? 'Read it in parts with `offset` and `limit`.' : REMEDY}`,
    );
  }
  const isCut = isTooLong && !isLargeAllowed;
  const page = isCut ? firstPage(asked) : asked;
  await memory.note(real, raw, page.start === 1 && page.lines.length === page.total && !isCut);
  const content = page.lines.join('\n');
  const file = {
    filePath,
    content,
    numLines: page.lines.length,
    startLine: page.start,
    totalLines: page.total,
  };
  const note = damage === undefined ? '' : `\n\n${WORDS.readAnyway(damage)}`;
  return {
    content: shownText(file) + note,
    detail: { type: 'text', file: { ...file, ...(isCut ? { truncatedByTokenCap: true } : {}) } },
    added: isCut ? [{ text: reminder(cutNotice(filePath, page, asked)), isShown: false }] : [],
  };
}

export interface ShownPage {
  readonly content: string;
  readonly numLines: number;
  readonly startLine: number;
  readonly totalLines: number;
}

/** What the model reads of a page: its lines, or that there are none. */
export function shownText({ content, numLines, startLine, totalLines }: ShownPage): string {
  if (numLines === 0) {
    return reminder(`The file has only ${totalLines} lines; there is no line ${startLine}.`);
  }
  if (content === '' && totalLines === 1) return reminder('The file is empty.');
  return numbered({ lines: content.split('\n'), start: startLine });
}

function cutNotice(path: string, { lines, total }: TextPage, asked: TextPage): string {
  const size = `${path} has about ${asked.tokens} tokens, too many for one result.`;
  const isPartOfLine = lines.length === 1 && lines[0] !== asked.lines[0];
  const rest = isPartOfLine
    ? 'You have read the beginning of its first line; the rest can be searched.'
    : `You have read lines 1 to ${lines.length} of ${total}; read on with \`offset\` ${lines.length + 1}.`;
  return `${size} ${rest} Do not take this part for all of it.`;
}

function reminder(text: string): string {
  return `<system-reminder>${text}</system-reminder>`;
}

/** How far before the limit a cut may be moved, as a share of the page: a whole line, or else a whole word, reads better. */
const LINE_SHARE = 0.2;
const WORD_SHARE = 0.05;

/**
 * Where a page of at most `maxChars` that begins at `from` ends: after a line or a word if one ends near the limit, and
 * never inside a surrogate pair, which would be sent as a broken character. A page has at least one character.
 */
export function endOfPage(text: string, from: number, maxChars: number): number {
  const limit = from + Math.max(1, Math.floor(maxChars));
  if (limit >= text.length) return text.length;
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  if (line > from && line >= limit - maxChars * LINE_SHARE) return line;
  const word = endOfWord(text, limit, Math.max(from + 1, limit - Math.floor(maxChars * WORD_SHARE)));
  if (word !== undefined) return word;
  if (!isInsidePair(text, limit)) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

/** After the last white space before `limit`, if there is some at or after `lowest`. */
function endOfWord(text: string, limit: number, lowest: number): number | undefined {
  for (let end = limit; end > lowest; end -= 1) {
    const before = text[end - 1];
    if (before === ' ' || before === '\t') return end;
  }
  return undefined;
}

function isInsidePair(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
}

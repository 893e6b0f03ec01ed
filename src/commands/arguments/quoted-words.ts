/**
 * Splits at white space, except inside quotes: `name="a b"`. No other shell syntax has a meaning. Undefined if a quote
 * is not closed.
 */
export function quotedWords(line: string): string[] | undefined {
  const words: string[] = [];
  const text = line.trimEnd();
  const pattern = /\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    words.push((match[1] ?? '').replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
  }
  return words;
}

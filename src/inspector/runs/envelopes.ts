/** Lines of a tape as lines of the feed. They are not parsed: there can be millions. */
export function envelopes(run: number, lines: string): string {
  const before = `{"run":${run},"line":`;
  const hasEmpty = lines.includes('\n\n') || lines.startsWith('\n');
  const text = hasEmpty ? lines.replaceAll(/^\n+|\n+(?=\n)/g, '') : lines;
  if (text === '') return '';
  return `${before}${text.slice(0, -1).replaceAll('\n', `}\n${before}`)}}\n`;
}

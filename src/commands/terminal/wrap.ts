import { widthOf } from './text-width.js';

/** Breaks a text into lines of at most so many columns, at spaces if there are any; a pipe has no columns. */
export function wrap(text: string, columns: number | undefined): string[] {
  if (columns === undefined) return [text];
  const room = Math.max(columns, 10);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, room))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** A word that is longer than a line, in lines. */
function pieces(word: string, columns: number): string[] {
  if (widthOf(word) <= columns) return [word];
  const found: string[] = [];
  let piece = '';
  for (const character of word) {
    if (widthOf(piece) + widthOf(character) > columns) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}

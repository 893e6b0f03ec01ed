import type { DoubleQuotedChild, Word, WordPart } from 'unbash';

/** What a word may become: text that is known, a part of a name that files decide, or anything at all. */
export type Piece = { readonly text: string } | { readonly any: 'name' | 'text' };

/** A word of a command, with what can be known about it before the command runs. */
export interface ShellWord {
  /** As written, with its quotes. */
  readonly source: string;
  /** What the command gets; undefined if only the shell can tell. */
  readonly value: string | undefined;
  readonly pieces: readonly Piece[];
  /** `glob`: names of files decide. `computed`: a variable or a command decides, and it may be many words or none. */
  readonly kind: 'literal' | 'glob' | 'computed';
  /** Begins with an unquoted `~`, which the shell replaces by a home directory. */
  readonly hasTilde: boolean;
  /** Written in a way that has no use but to hide what it says, as `$'\x72m'`. */
  readonly isDisguised: boolean;
  /** The variables in it, if nothing else is computed. */
  readonly variables: readonly string[] | undefined;
}

/** A word that stands for itself. */
export function plainWord(value: string): ShellWord {
  return {
    source: value,
    value,
    pieces: [{ text: value }],
    kind: 'literal',
    hasTilde: false,
    isDisguised: false,
    variables: [],
  };
}

const ANYTHING: Piece = { any: 'text' };

export function shellWord(word: Word): ShellWord {
  const reading: Reading = { pieces: [], isDisguised: false, variables: [], hasOther: false };
  // `~name` is the home of another user, which only the shell knows.
  if (/^~[^/]/.test(word.text)) {
    reading.hasOther = true;
    reading.pieces.push(ANYTHING);
  }
  if (word.parts === undefined) reading.pieces.push({ text: word.value });
  else for (const part of word.parts) readPart(part, reading);
  const { pieces, isDisguised, variables, hasOther } = reading;
  const isComputed = hasOther || variables.length > 0;
  const isGlob = pieces.some((piece) => 'any' in piece && piece.any === 'name');
  return {
    source: word.text,
    value:
      isComputed || isGlob ? undefined : pieces.map((piece) => ('text' in piece ? piece.text : '')).join(''),
    pieces,
    kind: isComputed ? 'computed' : isGlob ? 'glob' : 'literal',
    hasTilde: word.text.startsWith('~'),
    isDisguised,
    variables: hasOther ? undefined : variables,
  };
}

interface Reading {
  pieces: Piece[];
  isDisguised: boolean;
  variables: string[];
  hasOther: boolean;
}

function readPart(part: WordPart | DoubleQuotedChild, reading: Reading): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      reading.pieces.push({ text: part.value });
      return;
    case 'AnsiCQuoted':
      reading.isDisguised = true;
      reading.pieces.push({ text: part.value });
      return;
    case 'LocaleString':
      reading.isDisguised = true;
      for (const child of part.parts) readPart(child, reading);
      return;
    case 'DoubleQuoted':
      for (const child of part.parts) readPart(child, reading);
      return;
    case 'Glob':
      reading.pieces.push({ any: 'name' });
      return;
    case 'SimpleExpansion':
      reading.variables.push(part.text.slice(1));
      reading.pieces.push(ANYTHING);
      return;
    default:
      reading.hasOther = true;
      reading.pieces.push(ANYTHING);
  }
}

// Patterns of path rules, which are those of .gitignore. A pattern is compared with a path, or with another pattern
// where only the shell knows the path, in time proportional to the product of their lengths: rules may come from
// strangers, and an expression would try every way to split a path.

/** One place in a name: this character, one of these, any one, or any number of any. */
type Token = string | Within | typeof ONE | typeof MANY;
type Within = (character: string) => boolean;

const ONE: unique symbol = Symbol('one');
const MANY: unique symbol = Symbol('many');
/** Any number of directories, also none. */
const DEEP: unique symbol = Symbol('deep');

type Segment = readonly Token[] | typeof DEEP;

/** What is compared: absolute, each name on its own. */
export interface PathPattern {
  readonly segments: readonly Segment[];
  readonly isFolded: boolean;
}

export interface PatternOptions {
  /** Letters match whatever their case, as on the file systems where it does not count. */
  readonly isFolded: boolean;
  /** A single name matches at any depth, also with `/**` behind it. */
  readonly isLoose: boolean;
}

/**
 * A pattern below a directory. It covers what it names and all that is below. With a slash inside it starts at the
 * directory, otherwise it matches at any depth.
 */
export function pathPattern(base: string, pattern: string, options: PatternOptions): PathPattern {
  const { isFolded, isLoose } = options;
  const inner = pattern.replace(/^\/+/, '').replace(/(\/\*\*)+$/, (tail) => (isLoose ? '' : tail));
  const needsMore = !isLoose && inner.endsWith('/');
  const names = inner.split('/').filter((name) => name !== '' && name !== '.');
  const startsHere = pattern.startsWith('/') || names.length > 1;
  const segments = literalSegments(base, isFolded);
  if (!startsHere && names.length > 0) segments.push(DEEP);
  for (const name of names) segments.push(/^\*{2,}$/.test(name) ? DEEP : tokensOf(name, isFolded));
  if (needsMore) segments.push([MANY]);
  segments.push(DEEP);
  return { isFolded, segments };
}

/** A path that is known. */
export function literalPath(path: string, isFolded: boolean): PathPattern {
  return { isFolded, segments: literalSegments(path, isFolded) };
}

/** What stands where only the shell knows: `name` has no slash in it, `text` may be anything. */
export type OpenPiece = { readonly text: string } | { readonly any: 'name' | 'text' };

/** All paths that a word may become, seen from a directory; rather too many than too few. */
export function openPath(directory: string, pieces: readonly OpenPiece[], isFolded: boolean): PathPattern {
  const [first] = pieces;
  const climbs = pieces.some((piece) => 'text' in piece && /(^|\/)\.\.(\/|$)/.test(piece.text));
  if (first === undefined || climbs || ('any' in first && first.any === 'text'))
    return { isFolded, segments: [DEEP] };
  const isAbsolute = 'text' in first && first.text.startsWith('/');
  const segments = isAbsolute ? [] : literalSegments(directory, isFolded);
  let tokens: Token[] = [];
  for (const piece of pieces) {
    if ('any' in piece) {
      tokens.push(MANY);
      if (piece.any === 'name') continue;
      // It may be the rest of this name, and any number of others.
      return { isFolded, segments: [...segments, tokens, DEEP] };
    }
    const [begun = '', ...names] = folded(piece.text, isFolded).split('/');
    tokens.push(...begun);
    for (const name of names) {
      if (tokens.length > 0) segments.push(tokens);
      tokens = [...name];
    }
  }
  return { isFolded, segments: tokens.length > 0 ? [...segments, tokens] : segments };
}

/** Everything below a directory, and the directory itself. */
export function everythingBelow(path: string, isFolded: boolean): PathPattern {
  return { isFolded, segments: [...literalSegments(path, isFolded), DEEP] };
}

/** Whether some path fits both. With a literal path: whether it fits the pattern. */
export function mayBeSame(one: PathPattern, other: PathPattern): boolean {
  return haveCommon(one.segments, other.segments, DEEP, (a, b) =>
    haveCommon(a as readonly Token[], b as readonly Token[], MANY, tokensMeet),
  );
}

/**
 * Whether two sequences can be the same, where `wild` stands for any number of elements. `row[j]` says whether the
 * first i of one and the first j of the other can be.
 */
function haveCommon<Element>(
  one: readonly Element[],
  other: readonly Element[],
  wild: Element,
  meet: (a: Element, b: Element) => boolean,
): boolean {
  let row = [true];
  for (const [j, element] of other.entries()) row.push(element === wild && row[j] === true);
  for (const a of one) {
    const next = [a === wild && row[0] === true];
    for (const [j, b] of other.entries()) {
      const isOpen = a === wild || b === wild;
      next.push(isOpen ? row[j + 1] === true || next[j] === true : row[j] === true && meet(a, b));
    }
    row = next;
  }
  return row[other.length] === true;
}

function tokensMeet(a: Token, b: Token): boolean {
  if (a === ONE || b === ONE) return true;
  if (typeof a === 'function') return typeof b === 'string' ? a(b) : true;
  if (typeof b === 'function') return typeof a === 'string' ? b(a) : true;
  return a === b;
}

function literalSegments(path: string, isFolded: boolean): Segment[] {
  return folded(path, isFolded)
    .split('/')
    .filter((name) => name !== '')
    .map((name) => [...name]);
}

function folded(text: string, isFolded: boolean): string {
  return isFolded ? text.normalize('NFC').toLowerCase() : text;
}

function tokensOf(name: string, isFolded: boolean): Token[] {
  const characters = [...folded(name, isFolded)];
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (character === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY);
    } else if (character === '?') {
      tokens.push(ONE);
    } else if (character === '\\' && index + 1 < characters.length) {
      index += 1;
      tokens.push(characters[index] as string);
    } else if (character === '[') {
      const end = closingBracket(characters, index);
      tokens.push(end === -1 ? '[' : within(characters.slice(index + 1, end)));
      if (end !== -1) index = end;
    } else {
      tokens.push(character);
    }
  }
  return tokens;
}

function closingBracket(characters: readonly string[], start: number): number {
  const first = characters[start + 1] === '!' || characters[start + 1] === '^' ? start + 2 : start + 1;
  return characters.indexOf(']', first + 1);
}

function within(inside: readonly string[]): Within {
  const isNegated = inside[0] === '!' || inside[0] === '^';
  const members = isNegated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let index = 0; index < members.length; index += 1) {
    const from = members[index] as string;
    const to = members[index + 1] === '-' ? members[index + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) index += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

import { badPattern, NEEDS_MULTILINE } from './problems.js';

/** What the signs stand for that Unicode knows more of in ripgrep than in JavaScript. */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '[^\\p{Nd}]',
  s: '\\p{White_Space}',
  S: '[^\\p{White_Space}]',
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
};
const BOUNDARY = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const ASSERTIONS: Readonly<Record<string, string>> = {
  b: BOUNDARY,
  B: `(?!${BOUNDARY})`,
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  '<': `(?<![${WORD}])(?=[${WORD}])`,
  '>': `(?<=[${WORD}])(?![${WORD}])`,
};
const CONTROL: Readonly<Record<string, string>> = {
  a: '\\u{7}',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\v',
};
const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\u{0}-\\u{7f}',
  blank: '\\t\\u{20}',
  cntrl: '\\u{0}-\\u{1f}\\u{7f}',
  digit: '0-9',
  graph: '\\u{21}-\\u{7e}',
  lower: 'a-z',
  print: '\\u{20}-\\u{7e}',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\t\\n\\v\\f\\r\\u{20}',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/**
 * A pattern of ripgrep as a regular expression of JavaScript, or an error that says what is not understood. A match may
 * take exponential time, which ripgrep's own engine never does; nothing here can bound it.
 */
export function expressionOf(
  pattern: string,
  { ignoreCase = false, multiline = false }: { ignoreCase?: boolean; multiline?: boolean },
): RegExp {
  const [, flags = ''] = /^\(\?([a-z]+)\)/.exec(pattern) ?? [];
  const unknown = /[^imsu]/.exec(flags);
  if (unknown !== null) throw unsupported(pattern, `the flag "${unknown[0]}"`);
  const body = flags === '' ? pattern : pattern.slice(flags.length + 3);
  const isDotAll = multiline || flags.includes('s');
  const source = new PatternReader(body, pattern, isDotAll, multiline).read();
  try {
    return new RegExp(source, `gv${ignoreCase || flags.includes('i') ? 'i' : ''}`);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : '';
    throw badPattern(`The pattern "${pattern}" makes no sense: ${why}.`);
  }
}

class PatternReader {
  readonly #text: string;
  readonly #pattern: string;
  readonly #any: string;
  readonly #multiline: boolean;
  #at = 0;

  constructor(text: string, pattern: string, isDotAll: boolean, multiline: boolean) {
    this.#text = text;
    this.#pattern = pattern;
    this.#any = isDotAll ? '[\\s\\S]' : '[^\\n]';
    this.#multiline = multiline;
  }

  read(): string {
    let source = '';
    while (this.#at < this.#text.length) source += this.#token();
    return source;
  }

  #token(): string {
    const sign = this.#next();
    if (sign === '\\') return this.#escape(false);
    if (sign === '[') return this.#class();
    if (sign === '(') return this.#group();
    if (sign === '{') return this.#repetition();
    if (sign === '.') return this.#any;
    // Lines end with \n alone: a carriage return is a part of the line.
    if (sign === '^') return '(?<![^\\n])';
    if (sign === '$') return '(?![^\\n])';
    if (sign === '\n' && !this.#multiline) throw badPattern(NEEDS_MULTILINE);
    return ')|*+?'.includes(sign) ? sign : literal(sign);
  }

  #group(): string {
    const rest = this.#text.slice(this.#at);
    if (/^\?<?[=!]/.test(rest)) throw unsupported(this.#pattern, 'look-around');
    const [named, name] = /^\?P?<([A-Za-z_][\w.[\]]*)>/.exec(rest) ?? [];
    if (named !== undefined) {
      this.#at += named.length;
      return `(?<${name?.replaceAll(/[^\w]/g, '_')}>`;
    }
    if (!rest.startsWith('?')) return '(';
    if (!rest.startsWith('?:')) throw unsupported(this.#pattern, `"(${rest.slice(0, 3)}" inside it`);
    this.#at += 2;
    return '(?:';
  }

  #repetition(): string {
    const [whole] = /^\s*\d+\s*(?:,\s*\d*\s*)?\}/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) {
      throw badPattern(
        `The pattern "${this.#pattern}" makes no sense: "{" begins a repetition such as {2,3}. Write \\{ for the sign itself.`,
      );
    }
    this.#at += whole.length;
    return `{${whole.replaceAll(/\s/g, '')}`;
  }

  #escape(isInClass: boolean): string {
    if (this.#at >= this.#text.length)
      throw badPattern(`The pattern "${this.#pattern}" ends with a backslash.`);
    const sign = this.#next();
    if (sign === 'n' && !this.#multiline && !isInClass) throw badPattern(NEEDS_MULTILINE);
    if (Object.hasOwn(CONTROL, sign)) return CONTROL[sign] ?? '';
    if (Object.hasOwn(CLASSES, sign)) return CLASSES[sign] ?? '';
    if (!isInClass && Object.hasOwn(ASSERTIONS, sign)) return ASSERTIONS[sign] ?? '';
    if (sign === 'p' || sign === 'P') return this.#property(sign);
    if ('xuU'.includes(sign)) return this.#codePoint(sign);
    if (/[0-9]/.test(sign)) throw unsupported(this.#pattern, 'a back-reference');
    if (/[A-Za-z]/.test(sign)) throw unsupported(this.#pattern, `"\\${sign}"`);
    return literal(sign);
  }

  #property(sign: string): string {
    const [whole, braced, single] =
      /^(?:\{\^?([A-Za-z_]+(?:[=:][A-Za-z_]+)?)\}|([A-Z]))/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) throw unsupported(this.#pattern, `"\\${sign}" without a property`);
    this.#at += whole.length;
    const isNegated = (sign === 'P') !== whole.startsWith('{^');
    const name = (braced ?? single ?? '').replace(':', '=');
    const scripts = /^(Greek|Latin|Cyrillic|Han|Hiragana|Katakana|Arabic|Hebrew|Thai|Hangul)$/;
    return `\\${isNegated ? 'P' : 'p'}{${scripts.test(name) ? `Script=${name}` : name}}`;
  }

  #codePoint(sign: string): string {
    const digits = { x: 2, u: 4, U: 8 }[sign] ?? 2;
    const form = new RegExp(`^(?:\\{([0-9A-Fa-f]+)\\}|([0-9A-Fa-f]{${digits}}))`);
    const [whole, braced, plain] = form.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) throw unsupported(this.#pattern, `"\\${sign}" without its digits`);
    this.#at += whole.length;
    return `\\u{${braced ?? plain}}`;
  }

  #class(): string {
    const isNegated = this.#text[this.#at] === '^';
    if (isNegated) this.#at += 1;
    let joined = '';
    let members = '';
    for (let isFirst = true; ; isFirst = false) {
      if (this.#at >= this.#text.length) {
        throw badPattern(`The pattern "${this.#pattern}" makes no sense: a "[" is not closed.`);
      }
      const sign = this.#next();
      const two = sign + (this.#text[this.#at] ?? '');
      if (sign === ']' && !isFirst)
        return `[${isNegated ? '^' : ''}${joined === '' ? members : `${joined}[${members}]`}]`;
      if (two === '&&' || two === '--') {
        // Each side has to be a class of its own.
        this.#at += 1;
        joined = joined === '' ? `[${members}]${two}` : `[${joined}[${members}]]${two}`;
        members = '';
      } else members += this.#member(sign, isFirst);
    }
  }

  #member(sign: string, isFirst: boolean): string {
    if (sign === '\\') return this.#escape(true);
    if (sign === '[') return this.#posix() ?? this.#class();
    if (sign === '~' && this.#text[this.#at] === '~') throw unsupported(this.#pattern, '"~~" in a class');
    const isRange = sign === '-' && !isFirst && this.#text[this.#at] !== ']';
    return isRange ? '-' : literal(sign);
  }

  #posix(): string | undefined {
    const [whole, negation, name = ''] = /^:(\^?)([a-z]+):\]/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) return undefined;
    const members = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
    if (members === undefined) throw unsupported(this.#pattern, `"[:${name}:]"`);
    this.#at += whole.length;
    return `[${negation}${members}]`;
  }

  #next(): string {
    const sign = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    return sign;
  }
}

function literal(sign: string): string {
  return /[\p{L}\p{N}_]/u.test(sign) ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

function unsupported(pattern: string, what: string): Error {
  return badPattern(`The pattern "${pattern}" uses ${what}, which this search does not have.`);
}

import { badPattern } from './problems.js';

/**
 * A glob as ripgrep and git understand it, as a regular expression for whole paths with `/` between their parts: `*` and
 * `?` stay within a part, `**` as a whole part stands for any number of parts, `{a,b}` for either, `\` takes a character
 * as it is.
 */
export function globExpression(glob: string): RegExp {
  return new RegExp(`^${new GlobReader(glob).read()}$`, 'su');
}

class GlobReader {
  readonly #glob: string;
  #at = 0;
  #depth = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): string {
    let source = '';
    while (this.#at < this.#glob.length) source += this.#token();
    if (this.#depth > 0) throw this.#bad('a "{" is not closed');
    return source;
  }

  #token(): string {
    const stars = this.#wholePart();
    if (stars !== undefined) return stars;
    const sign = this.#next();
    if (sign === '*') {
      while (this.#glob[this.#at] === '*') this.#at += 1;
      return '[^/]*';
    }
    if (sign === '?') return '[^/]';
    if (sign === '[') return this.#class();
    if (sign === '\\') {
      if (this.#at === this.#glob.length) throw this.#bad('it ends with a backslash');
      return literal(this.#next());
    }
    return this.#alternatives(sign) ?? literal(sign);
  }

  /** `**` where it is a part of its own. */
  #wholePart(): string | undefined {
    const isStart = this.#at === 0 || this.#glob[this.#at - 1] === '/';
    if (!isStart || !this.#glob.startsWith('**', this.#at)) return undefined;
    const after = this.#glob[this.#at + 2];
    if (after !== undefined && after !== '/') return undefined;
    this.#at += after === undefined ? 2 : 3;
    // At the end it stands for what is below, not for the directory itself.
    return after === undefined ? '.+' : '(?:.*/)?';
  }

  #alternatives(sign: string): string | undefined {
    if (sign === '{') {
      this.#depth += 1;
      return '(?:';
    }
    if (this.#depth === 0) {
      if (sign === '}') throw this.#bad('a "}" closes nothing');
      return undefined;
    }
    if (sign === ',') return '|';
    if (sign !== '}') return undefined;
    this.#depth -= 1;
    return ')';
  }

  #class(): string {
    const isNegated = ['!', '^'].includes(this.#glob[this.#at] ?? '');
    if (isNegated) this.#at += 1;
    const ranges: string[] = [];
    // The first bracket is a member.
    for (let isFirst = true; isFirst || this.#glob[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#glob.length) throw this.#bad('a character class is not closed; "]" is missing');
      const from = this.#next();
      const to = this.#glob[this.#at + 1];
      if (this.#glob[this.#at] === '-' && to !== undefined && to !== ']') {
        this.#at += 1;
        this.#next();
        if (from > to) throw this.#bad(`the range ${from}-${to} is empty`);
        ranges.push(`${member(from)}-${member(to)}`);
      } else ranges.push(member(from));
    }
    this.#at += 1;
    return `${isNegated ? '(?!/)[^' : '(?!/)['}${ranges.join('')}]`;
  }

  #next(): string {
    const sign = String.fromCodePoint(this.#glob.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    return sign;
  }

  #bad(why: string): Error {
    return badPattern(`The glob "${this.#glob}" makes no sense: ${why}.`);
  }
}

function literal(sign: string): string {
  return sign.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function member(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

import { globExpression } from './glob.js';

export type Verdict = 'ignored' | 'wanted' | undefined;

interface Rule {
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  readonly expression: RegExp;
}

/**
 * Lines of a `.gitignore`, or globs that are read the same way. The last rule that matches counts. A pattern without a
 * slash, other than one at its end, matches at any depth.
 */
export class IgnoreRules {
  readonly #rules: Rule[];

  constructor(lines: readonly string[], read: (line: string) => Rule | undefined = ruleOfFile) {
    this.#rules = lines.flatMap((line) => read(line) ?? []);
  }

  /** A path below the directory that the rules belong to. */
  verdict(path: string, isDirectory: boolean): Verdict {
    const rule = this.#rules.findLast(
      ({ isForDirectories, expression }) => (isDirectory || !isForDirectories) && expression.test(path),
    );
    if (rule === undefined) return undefined;
    return rule.isNegated ? 'wanted' : 'ignored';
  }
}

/** Throws for a glob that makes no sense. */
function ruleOf(pattern: string): Rule {
  const isNegated = pattern.startsWith('!');
  let glob = isNegated ? pattern.slice(1) : pattern;
  const isForDirectories = glob.endsWith('/');
  if (isForDirectories) glob = glob.slice(0, -1);
  const isAnchored = glob.includes('/');
  glob = glob.replace(/^\//, '');
  return { isNegated, isForDirectories, expression: globExpression(isAnchored ? glob : `**/${glob}`) };
}

/** A line of a file that makes no sense has no effect, as with git. */
function ruleOfFile(line: string): Rule | undefined {
  const pattern = line.replace(/\r$/, '').replace(/(?<!\\)\s+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  try {
    return ruleOf(pattern);
  } catch {
    return undefined;
  }
}

/** Globs that choose files: one that matches is wanted, one with `!` left out, and with any of the former nothing else is wanted. */
export class Globs {
  readonly #rules: IgnoreRules;
  readonly #isChoice: boolean;

  constructor(globs: readonly string[]) {
    this.#rules = new IgnoreRules(globs, ruleOf);
    this.#isChoice = globs.some((glob) => !glob.startsWith('!'));
  }

  verdict(path: string, isDirectory: boolean): Verdict {
    const verdict = this.#rules.verdict(path, isDirectory);
    // The other way round: here a pattern is what is wanted.
    if (verdict !== undefined) return verdict === 'ignored' ? 'wanted' : 'ignored';
    return this.#isChoice && !isDirectory ? 'ignored' : undefined;
  }
}

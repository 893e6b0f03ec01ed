import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { RuleKind } from '../../../protocol/permissions/permission-rules.js';
import { pathFrom } from './locations.js';
import { literalPath, mayBeSame, type PathPattern, pathPattern } from './path-pattern.js';

/** Where patterns of rules start. */
export interface RulePlaces {
  /** The directory that the agent works in. */
  readonly root: string;
  /** The others that it may work in. */
  readonly directories: readonly string[];
  readonly home: string | undefined;
  /** Where the user's settings file is. */
  readonly userSettings: string | undefined;
}

export type FileUse = 'read' | 'edit';

/** Tools whose rules say something about files, and about which use of them. */
const READERS: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']);
const EDITORS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

interface CompiledRule {
  readonly inForce: RuleInForce;
  readonly patterns: readonly PathPattern[];
}

/** The rules about files, as `Read(./secret/**)`. Rules without a path are not among them. */
export class PathRules {
  readonly #rules: readonly CompiledRule[];

  constructor(rules: readonly RuleInForce[], places: RulePlaces) {
    this.#rules = rules.flatMap((inForce) => {
      const { kind, rule } = inForce;
      const isAboutFiles = READERS.has(rule.tool) || EDITORS.has(rule.tool);
      if (!isAboutFiles || rule.specifier === undefined || rule.problem !== undefined) return [];
      return [{ inForce, patterns: patternsOf(rule.specifier, kind, inForce.source, places) }];
    });
  }

  /** Whether any rule forbids a use of files, or wants to be asked about one. */
  get areRestricting(): boolean {
    return this.#rules.some(({ inForce }) => inForce.kind !== 'allow');
  }

  /** The rule that forbids, or asks about, one of these spellings of a file. `tool`: a tool's own rules count too. */
  restricting(
    kind: 'deny' | 'ask',
    use: FileUse,
    paths: readonly string[],
    tool?: string,
  ): RuleInForce | undefined {
    const known = paths.map((path) => literalPath(path, true));
    return this.#restricting(kind, use, tool).find(({ patterns }) =>
      patterns.some((pattern) => known.some((path) => mayBeSame(pattern, path))),
    )?.inForce;
  }

  /** The same for a path that only the shell knows: whether a rule might concern it. */
  mayRestrict(use: FileUse, path: PathPattern): boolean {
    return [...this.#restricting('deny', use), ...this.#restricting('ask', use)].some(({ patterns }) =>
      patterns.some((pattern) => mayBeSame(pattern, path)),
    );
  }

  /** The rule that allows, if every spelling of the file is covered. */
  allowing(use: FileUse, paths: readonly string[]): RuleInForce | undefined {
    const found = paths.map((path) => {
      const known = literalPath(path, false);
      return this.#rules.find(
        ({ inForce, patterns }) =>
          inForce.kind === 'allow' &&
          // Who may edit a file may read it. `Write(…)` allows nothing, as in the CLI.
          (inForce.rule.tool === 'Edit' || (use === 'read' && inForce.rule.tool === 'Read')) &&
          patterns.some((pattern) => mayBeSame(pattern, known)),
      );
    });
    return found.every((rule) => rule !== undefined) ? found[0]?.inForce : undefined;
  }

  #restricting(kind: RuleKind, use: FileUse, tool?: string): CompiledRule[] {
    return this.#rules.filter(({ inForce }) => {
      if (inForce.kind !== kind) return false;
      const named = inForce.rule.tool;
      // What must not be read must not be changed either. What asks before reading asks before reading only.
      if (named === 'Read') return use === 'read' || kind === 'deny';
      if (named === 'Edit') return use === 'edit';
      if (EDITORS.has(named)) return use === 'edit' && (tool === undefined || tool === named);
      return use === 'read' && (tool === undefined || tool === named);
    });
  }
}

/**
 * `//x` starts at the root of the file system, `~/x` at home, `/x` where the rule was written, anything else in the
 * working directory. What restricts matches more: in each directory of the agent, at any depth, whatever the case.
 */
function patternsOf(text: string, kind: RuleKind, source: string, places: RulePlaces): PathPattern[] {
  const { root, directories, home, userSettings } = places;
  const isRestricting = kind !== 'allow';
  const options = { isFolded: isRestricting, isLoose: isRestricting };
  const from = (base: string, pattern: string): PathPattern => pathPattern(base, pattern, options);
  return (isRestricting ? withoutBraces(text) : [text]).flatMap((pattern) => {
    if (pattern.startsWith('//')) return [from('/', pattern.slice(1))];
    if (pattern.startsWith('~/')) return home === undefined ? [] : [from(home, pattern.slice(1))];
    if (pattern.startsWith('/')) {
      return [from(source === 'userSettings' && userSettings !== undefined ? userSettings : root, pattern)];
    }
    const inside = pattern.replace(/^(\.\/)+/, '');
    return (isRestricting ? [root, ...directories] : [root]).map((base) => from(...climbed(base, inside)));
  });
}

/** `../x` starts in the directory above. */
function climbed(base: string, pattern: string): [base: string, pattern: string] {
  const [climb = ''] = /^(\.\.\/)+/.exec(pattern) ?? [];
  return climb === '' ? [base, pattern] : [pathFrom(base, climb), pattern.slice(climb.length - 1)];
}

const MOST_ALTERNATIVES = 64;

/** `{a,b}` means nothing in .gitignore, but whoever forbids it means both; where they are too many, anything. */
function withoutBraces(text: string): string[] {
  let done = [text];
  for (;;) {
    const next = done.flatMap((each) => {
      const [whole, inside = ''] = /\{([^{}]*,[^{}]*)\}/.exec(each) ?? [];
      return whole === undefined ? [each] : inside.split(',').map((part) => each.replace(whole, () => part));
    });
    if (next.length > MOST_ALTERNATIVES) return [text, text.replace(/\{.*\}/s, '**')];
    if (next.length === done.length) return [...done, text];
    done = next;
  }
}

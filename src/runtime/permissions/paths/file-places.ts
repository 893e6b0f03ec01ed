import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { Workspace } from '../../../workspace/workspace.js';
import { isInside, nameOf, normalPath, parentOf, pathFrom } from './locations.js';
import { type FileUse, PathRules, type RulePlaces } from './path-rules.js';
import { isSensitive } from './safety-paths.js';

/** Files and where they are: what a judgement is made of. */
export interface FileFinding {
  /** As named, made absolute. */
  readonly path: string;
  /** Without links. */
  readonly real: string;
  readonly exists: boolean;
  readonly isDirectory: boolean;
  readonly denied: RuleInForce | undefined;
  readonly asked: RuleInForce | undefined;
  readonly allowed: RuleInForce | undefined;
  /** As named and without links, it is in a directory that the agent may work in. */
  readonly isInside: boolean;
  /** It seems to be inside, but a link leads out. */
  readonly leadsOutside: boolean;
  readonly isSensitive: boolean;
  /** The name itself is a link. */
  readonly isLink: boolean;
  /** The directory that would have to be allowed, as named and without links. */
  readonly directories: readonly string[];
}

/** The directories that an agent may work in, and the rules about files, at one moment. */
export class FilePlaces {
  readonly rules: PathRules;
  readonly workspace: Pick<Workspace, 'locate' | 'home' | 'root'>;
  readonly #roots: readonly string[];
  readonly #readable: readonly string[];

  private constructor(
    workspace: Pick<Workspace, 'locate' | 'home' | 'root'>,
    roots: readonly string[],
    readable: readonly string[],
    rules: PathRules,
  ) {
    this.workspace = workspace;
    this.#roots = roots;
    this.#readable = readable;
    this.rules = rules;
  }

  /** `readable`: directories of the runtime's own, whose files may be read without a question. */
  static async open(
    workspace: Pick<Workspace, 'locate' | 'home' | 'root'>,
    rules: readonly RuleInForce[],
    more: { directories: readonly string[]; readable: readonly string[]; userSettings: string | undefined },
  ): Promise<FilePlaces> {
    const named = [workspace.root, ...more.directories.map((path) => absolute(workspace, path))];
    const real = await Promise.all(named.map(async (path) => (await workspace.locate(path)).real));
    const roots = [...new Set([...named, ...real].map(normalPath))];
    const places: RulePlaces = {
      root: normalPath(workspace.root),
      directories: roots.filter((root) => root !== normalPath(workspace.root)),
      home: workspace.home,
      userSettings: more.userSettings,
    };
    return new FilePlaces(workspace, roots, more.readable.map(normalPath), new PathRules(rules, places));
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  isInside(path: string): boolean {
    return this.#roots.some((root) => isInside(root, path));
  }

  /** By a path that was located already. */
  async find(use: FileUse, path: string, real: string, tool?: string): Promise<FileFinding> {
    const named = normalPath(path);
    const forms = [...new Set([named, normalPath(real)])];
    const parent = await this.workspace.locate(parentOf(named));
    const isLink = named !== '/' && normalPath(`${parent.real}/${nameOf(named)}`) !== normalPath(real);
    const { kind } = await this.workspace.locate(named);
    const isDirectory = kind === 'directory';
    const isReadable =
      use === 'read' && forms.every((form) => this.#readable.some((place) => isInside(place, form)));
    const inside = isReadable || forms.every((form) => this.isInside(form));
    return {
      path: named,
      real: normalPath(real),
      exists: kind !== undefined,
      isDirectory,
      denied: this.rules.restricting('deny', use, forms, tool),
      asked: this.rules.restricting('ask', use, forms, tool),
      allowed: this.rules.allowing(use, forms),
      isInside: inside,
      leadsOutside: !inside && this.isInside(named),
      isSensitive: forms.some((form) => isSensitive(this.#belowRoot(form))),
      isLink,
      directories: [...new Set(isDirectory ? forms : [parentOf(named), normalPath(parent.real)])],
    };
  }

  /**
   * By a path as a command names it. A program that is given `link/../x` looks beside what the link leads to, the shell
   * itself beside the link: what may be meant is both.
   */
  async locate(use: FileUse, directory: string, path: string): Promise<readonly FileFinding[]> {
    const given = expandTilde(path, this.workspace.home);
    const named = pathFrom(directory, given);
    const paths = given.includes('..') ? [named, await this.#walked(directory, given)] : [named];
    const findings = await Promise.all(
      [...new Set(paths)].map(async (each) => this.find(use, each, (await this.workspace.locate(each)).real)),
    );
    return findings.map((each) =>
      !each.isInside && this.isInside(named) ? { ...each, leadsOutside: true } : each,
    );
  }

  async #walked(directory: string, path: string): Promise<string> {
    let at = path.startsWith('/') ? '/' : directory;
    for (const name of path.split('/')) {
      if (name === '..') at = parentOf((await this.workspace.locate(at)).real);
      else at = pathFrom(at, name === '' ? '.' : name);
    }
    return at;
  }

  /** The names above a root are nobody's choice: a workspace may be below `.claude` or `.git`. */
  #belowRoot(path: string): string {
    const root = this.#roots.filter((each) => isInside(each, path)).sort((a, b) => b.length - a.length)[0];
    return root === undefined ? path : path.slice(root === '/' ? 0 : root.length);
  }
}

/** `~` and `~/x`; undefined home: left as it is, which is a name like any other. */
export function expandTilde(path: string, home: string | undefined): string {
  return home !== undefined && /^~(\/|$)/.test(path) ? `${home}${path.slice(1)}` : path;
}

function absolute(workspace: Pick<Workspace, 'home' | 'root'>, path: string): string {
  return pathFrom(workspace.root, expandTilde(path, workspace.home));
}

import { isWithin } from './files.js';

export type KnowledgeSource = 'user' | 'project' | 'local';

/** Where knowledge is looked for, and whose. */
export interface KnowledgePlaces {
  readonly cwd: string;
  /** The root of the repository that the working directory is in; without one, the working directory. */
  readonly projectRoot: string;
  /** Further directories whose `.claude` counts. */
  readonly additionalDirectories: readonly string[];
  /** The user's own, such as `~/.claude`. */
  readonly configDirectory?: string | undefined;
  /** What `~` stands for. */
  readonly home?: string | undefined;
  /** Folders of plugins. */
  readonly pluginDirectories: readonly string[];
  readonly sources: ReadonlySet<KnowledgeSource>;
  /** The user has trusted the working directory: its files may give rights. */
  readonly isTrusted: boolean;
  /** The user has agreed that memory files of the project import from anywhere. */
  readonly mayImportAnything: boolean;
}

/**
 * Why a file that was found in a directory of the project is not used, by the path without links: a link in a checkout
 * could lead to what is the user's own. Undefined: it is used.
 */
export function strayProblem(
  { projectRoot, additionalDirectories, isTrusted }: KnowledgePlaces,
  directory: string,
  real: string,
): string | undefined {
  const isInside = [projectRoot, directory, ...additionalDirectories].some((root) => isWithin(root, real));
  return isTrusted || isInside
    ? undefined
    : `a link leads out of the project, to ${real}, and the project is not trusted.`;
}

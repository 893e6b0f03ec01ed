export type KnowledgeSource = 'user' | 'project' | 'local';

/** Where knowledge is looked for, and whose. */
export interface KnowledgePlaces {
  readonly cwd: string;
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

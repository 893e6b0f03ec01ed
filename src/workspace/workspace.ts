// The port for files and commands: what the agent's built-in tools work on (R48). A folder of this machine, a tree in
// memory, a container or a remote machine is an adapter of about a page.

/**
 * Paths are absolute, with `/` between their parts. Only `locate` follows symbolic links. Every other method takes a
 * path as `locate` returned it and refuses one that has a link in it by then, so that what was decided about is what
 * is used. Methods reject with an `Error` whose message the model can act on.
 */
export interface Workspace {
  /** The directory that relative paths start from, without links. */
  readonly root: string;
  /** What `~` stands for in rules. Absent: nothing. */
  readonly home?: string | undefined;
  /** Where a path leads, links followed. Parts that do not exist are taken as they are written. */
  locate(path: string): Promise<Located>;
  /** Undefined: nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The content of a file; with `maxBytes` not more than its beginning. */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
  /** Replaces or makes a file, and the directories above it. Readers see the old content or the new one. */
  write(path: string, content: Uint8Array): Promise<void>;
  /**
   * Adds to a file, or makes one that nobody but this user can read, and the directories above it. Absent: what grows
   * is written as a whole from time to time.
   */
  append?(path: string, content: Uint8Array): Promise<void>;
  /** Removes a file. Nothing happens if there is none. */
  remove(path: string): Promise<void>;
  /** What a directory contains, in no particular order. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** A search of its own, faster than reading every file. Absent: files are read one by one. */
  search?(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
  /** Starts a command in a shell. Absent: there is no shell, and the agent has no tool for commands. */
  exec?(command: string, options: ExecOptions): RunningCommand;
}

export type FileKind = 'file' | 'directory' | 'other';

export interface Located {
  /** The path without links. */
  readonly real: string;
  /** Undefined: nothing is there. */
  readonly kind: FileKind | undefined;
}

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
}

export interface ReadOptions {
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind | 'link';
}

/**
 * What to look for. Patterns, globs and types are those of ripgrep. Hidden files are searched; those that `.gitignore`
 * (in a repository), `.ignore` and `.rgignore` leave out are not, nor are the directories of version control.
 */
export interface SearchQuery {
  /** Not looked at for `names`. */
  readonly pattern: string;
  /** A file or a directory, as `locate` returned it. */
  readonly path: string;
  /**
   * `names`: which files there are, ignored ones too. `files`: which files match. `lines`: the lines. `counts`: how many
   * lines of each file.
   */
  readonly mode: 'names' | 'files' | 'lines' | 'counts';
  /** A file must match one of them, and none that begins with `!`. Relative to `path`. */
  readonly globs?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  /** Only the matching parts of lines. */
  readonly onlyMatching?: boolean | undefined;
  readonly linesBefore?: number | undefined;
  readonly linesAfter?: number | undefined;
}

export interface SearchAnswer {
  /** In no particular order. */
  readonly files: readonly FileMatches[];
  /** It was cut short, because there was too much, or it took too long. */
  readonly isCut: boolean;
}

export interface FileMatches {
  readonly path: string;
  /** For `names` and `files`, where it is known. */
  readonly modifiedMs?: number | undefined;
  /** It matches and is not text; then its lines are not complete. Only of a file that was asked for by its path. */
  readonly isBinary?: true | undefined;
  /** For `counts`. */
  readonly count?: number | undefined;
  /** For `lines`. */
  readonly lines?: readonly MatchedLine[] | undefined;
}

export interface MatchedLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** A line around a match. */
  readonly isContext: boolean;
}

export interface ExecOptions {
  /** A directory as `locate` returned it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Called with what the command writes, stdout and stderr in one stream. While the promise that it returns is
   * pending, the command may be held up.
   */
  onOutput(chunk: Uint8Array): void | Promise<void>;
}

export interface RunningCommand {
  /** Resolves when the command has ended and its output has been handed over. Rejects if it could not be started. */
  readonly ended: Promise<CommandEnd>;
  /** Ends the command and everything that it has started. Resolves when nothing is left of it. */
  kill(): Promise<void>;
}

export interface CommandEnd {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The directory in which the command ended, if the shell could tell. */
  readonly cwd?: string | undefined;
}

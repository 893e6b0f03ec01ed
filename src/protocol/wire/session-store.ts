// The port for storing conversations, for both back ends. Names and shapes are those of the official SDK, so
// that a store written for one works with the other.

/** One conversation, or with `subpath` the transcript of a subagent in it. */
export type SessionKey = {
  /** Groups conversations; by default derived from the working directory (see `projectKeyOf`). */
  projectKey: string;
  sessionId: string;
  /**
   * For a subagent, such as `subagents/agent-1`; never empty. A store treats it as an opaque part of the key.
   */
  subpath?: string;
};

/** One line of a transcript. The fields a store needs are listed; the rest passes through. */
export type SessionStoreEntry = {
  type: string;
  /** Entries with the same id are the same entry. */
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
};

/** What a list shows about a conversation, kept up to date by `foldSessionSummary`. */
export type SessionSummaryEntry = {
  sessionId: string;
  /** By the store's own clock, the same as in `listSessions`. */
  mtime: number;
  /** For Tenon only: a store keeps it unchanged. */
  data: Record<string, unknown>;
};

/**
 * When entries are written: at the end of a turn (earlier if too many are waiting), or each as it arrives.
 */
export type SessionStoreFlush = 'batched' | 'eager';

export type SessionAppendOptions = {
  /**
   * The `uuid` of the last entry that the writer knows of, among those with a `parentUuid`; null for none.
   * Without it, the entries are appended to whatever there is.
   */
  after?: string | null | undefined;
};

/**
 * Stores conversations outside this machine. Only `append` and `load` are required. Nothing is ever deleted
 * unless `deleteSession` is called. `sessionStoreConformance` in `tenon/testing` checks whether a store meets
 * this contract.
 */
export type SessionStore = {
  /**
   * Appends in the order of the calls. Called again after a rejection, so entries may arrive twice.
   *
   * With `after`, the store compares and appends in one step: if its last entry (see `lastEntryId`) is neither
   * `after` nor one of `entries`, it appends nothing and rejects with a `SessionConflictError`. A store that
   * ignores `after` cannot tell that two agents continue one conversation at once; of their turns, only the
   * last to be written is read later.
   */
  append(key: SessionKey, entries: SessionStoreEntry[], options?: SessionAppendOptions): Promise<void>;
  /** Everything that was appended, deeply equal and in order; null for a key that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /**
   * The conversations of a project, in any order; `mtime` in whole milliseconds. Needed for lists and
   * `continue`.
   */
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  /** With it, a list takes one call; without it, each conversation is loaded. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /**
   * Also deletes the transcripts of its subagents if the key has no subpath. Without it, nothing is ever
   * deleted.
   */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths written under a conversation. Without it, subagents are not restored. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

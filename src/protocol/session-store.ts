// The port behind which conversations are kept, for both back ends. Names and shapes are those of the official SDK, so
// that a store written for one serves the other.

/** One conversation, or with `subpath` the transcript of a subagent in it. */
export type SessionKey = {
  /** Which conversations belong together: by default made of the working directory (see `projectKeyOf`). */
  projectKey: string;
  sessionId: string;
  /** For a subagent, such as `subagents/agent-1`; never empty. A store treats it as a part of the key, nothing more. */
  subpath?: string;
};

/** One line of a transcript. What a store needs to know of it is here; the rest passes through. */
export type SessionStoreEntry = {
  type: string;
  /** An entry that comes again with the same id is the same entry. */
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
};

/** What a list shows of a conversation, kept up to date by `foldSessionSummary`. */
export type SessionSummaryEntry = {
  sessionId: string;
  /** By the store's own clock, the same as in `listSessions`. */
  mtime: number;
  /** For us only: a store keeps it as it is. */
  data: Record<string, unknown>;
};

/** When entries go to the store: at the end of a turn (and before too many wait), or each as it comes. */
export type SessionStoreFlush = 'batched' | 'eager';

/**
 * Where conversations are kept outside of this machine. Only `append` and `load` are needed. Nothing is ever deleted
 * unless `deleteSession` is called. `sessionStoreConformance` in `tenon/testing` tells whether a store keeps to this.
 */
export type SessionStore = {
  /** In the order of the calls. Called again after it has rejected, so entries may come twice. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Everything that was appended, deeply equal, in order; null for a key that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** The conversations of a project, in any order; `mtime` in whole milliseconds. Needed for lists and `continue`. */
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  /** With it a list is one call; without it each conversation is loaded. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** With the transcripts of its subagents, when the key has no subpath. Without it nothing is ever deleted. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths that were written under a conversation. Without it subagents are not restored. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

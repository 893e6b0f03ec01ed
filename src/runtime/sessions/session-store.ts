import type { MessageParam } from '../../protocol/content.js';

/** One thing that was said, as it is kept. */
export interface SessionEntry {
  /** Of the line that showed it, or of its own where there was none. */
  uuid: string;
  /** Further lines that showed it: an answer has one per block. */
  lines?: string[];
  /** It goes back to the entry with this id (`resumeSessionAt`); what was written between no longer counts. */
  after?: string;
  message: MessageParam;
}

/** Which conversations there are is per working directory, as in the CLI. */
export interface SessionKey {
  cwd: string;
  sessionId: string;
}

/** Where conversations are kept. An entry that `append` has resolved for survives the end of the process. */
export interface RuntimeSessionStore {
  append(key: SessionKey, entries: readonly SessionEntry[]): Promise<void>;
  /** undefined when there is no such conversation. */
  load(key: SessionKey): Promise<SessionEntry[] | undefined>;
  /** The one that was written to last. */
  latest(cwd: string): Promise<string | undefined>;
}

/** Kept as long as the process lives. */
export function memorySessionStore(): RuntimeSessionStore {
  const sessions = new Map<string, SessionEntry[]>();
  const latest = new Map<string, string>();
  const keyOf = ({ cwd, sessionId }: SessionKey): string => `${cwd}\n${sessionId}`;
  return {
    append: async (key, entries) => {
      sessions.set(keyOf(key), [...(sessions.get(keyOf(key)) ?? []), ...entries]);
      latest.set(key.cwd, key.sessionId);
    },
    load: async (key) => sessions.get(keyOf(key))?.slice(),
    latest: async (cwd) => latest.get(cwd),
  };
}

// Where stored conversations end, as far as this process knows. A store that ignores `after` cannot tell that two agents
// continue one conversation at once; if both are here, this can. What other processes write is seen when it is loaded.

import { LIMITS } from '../protocol/base/limits.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';
import { checkFollows, lastEntryId } from './session-conflict.js';

interface End {
  last: string | undefined;
}

const knownEnds = new WeakMap<SessionStore, Map<string, End>>();

/** Before entries are written. Throws if somebody here has continued the conversation; else it ends with them from now on. */
export function claimEnd(
  store: SessionStore,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  after: string | null | undefined,
): { release(): void } {
  const before = endOf(store, key);
  if (before !== undefined) checkFollows(key, before.last, entries, { after });
  const last = lastEntryId(entries);
  // Titles, costs and the like do not change where the conversation ends, and do not say where it does.
  if (last === undefined) return { release: () => {} };
  const mine = { last };
  setEnd(store, key, mine);
  return {
    /** They could not be written. */
    release: () => {
      if (endOf(store, key) === mine) setEnd(store, key, before);
    },
  };
}

/** Loads a conversation, and notes where it ends unless it was continued meanwhile. */
export async function loadNoting(
  store: SessionStore | undefined,
  key: SessionKey,
): Promise<SessionStoreEntry[] | null> {
  if (store === undefined) return null;
  const before = endOf(store, key);
  const entries = await store.load(key);
  if (before !== undefined && endOf(store, key) === before) {
    setEnd(store, key, { last: lastEntryId(entries ?? []) });
  }
  return entries;
}

function endOf(store: SessionStore, key: SessionKey): End | undefined {
  return knownEnds.get(store)?.get(nameOf(key));
}

/** The conversations that were written last are kept in mind. */
function setEnd(store: SessionStore, key: SessionKey, end: End | undefined): void {
  const ends = knownEnds.get(store) ?? new Map<string, End>();
  knownEnds.set(store, ends);
  const name = nameOf(key);
  ends.delete(name);
  if (end !== undefined) ends.set(name, end);
  const [oldest] = ends.keys();
  if (oldest !== undefined && ends.size > LIMITS.maxKnownEnds) ends.delete(oldest);
}

function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath]);
}

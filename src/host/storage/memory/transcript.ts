import type { SessionStore } from '../../../protocol/wire/session-store.js';
import { InMemorySessionStore } from '../../../sessions/memory-session-store.js';
import { checkedLease } from '../checked.js';
import type { Lease, SessionRef } from '../port/conversation.js';
import type { Conversations } from './conversations.js';

export function memoryTranscript(
  conversations: Conversations,
  of: Lease | SessionRef,
): Required<SessionStore> {
  /** Every call looks again: the conversation may begin, and be deleted, at any time. */
  const toRead = (): InMemorySessionStore => {
    conversations.checkOpen();
    return conversations.get(of)?.transcript ?? new InMemorySessionStore();
  };
  const toWrite = (): InMemorySessionStore => conversations.held(checkedLease(of)).transcript;
  return {
    append: async (key, entries, options) => toWrite().append(key, entries, options),
    load: async (key) => toRead().load(key),
    listSessions: async (projectKey) => toRead().listSessions(projectKey),
    listSessionSummaries: async (projectKey) => toRead().listSessionSummaries(projectKey),
    delete: async (key) => toWrite().delete(key),
    listSubkeys: async (key) => toRead().listSubkeys(key),
  };
}

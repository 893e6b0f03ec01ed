import { clock } from '../../../protocol/base/clock.js';
import { checkedLimit, checkedRef } from '../checked.js';
import { heldError } from '../errors.js';
import type { SessionRef, SessionState } from '../port/conversation.js';
import type { SessionStorage, StoredSession } from '../port/sessions.js';
import type { Conversation, Conversations } from './conversations.js';

export function memorySessions(conversations: Conversations): SessionStorage {
  return {
    list: async ({ tenant, state, after, limit } = {}) => {
      conversations.checkOpen();
      return [...conversations.of(tenant)]
        .map(shown)
        .filter((each) => state === undefined || each.state === state)
        .filter((each) => after === undefined || compare(each, after) > 0)
        .sort(compare)
        .slice(0, checkedLimit(limit));
    },
    get: async (ref) => {
      conversations.checkOpen();
      const conversation = conversations.get(checkedRef(ref));
      return conversation && shown(conversation);
    },
    counts: async (tenant) => {
      conversations.checkOpen();
      const counts: Record<SessionState, number> = { idle: 0, queued: 0, running: 0, waiting: 0, parked: 0 };
      for (const each of conversations.of(tenant)) counts[stateOf(each)] += 1;
      return counts;
    },
    unpark: async (ref, { wake } = {}) => {
      conversations.checkOpen();
      const conversation = conversations.get(checkedRef(ref));
      if (conversation?.state !== 'parked') return false;
      const { reason } = conversation;
      conversations.setState(conversation, conversation.inbox.size > 0 ? 'queued' : 'idle');
      Object.assign(conversation, { crashes: 0, reason: undefined, readyAt: clock.monotonic() });
      await conversations.wake(conversation, wake, () => {
        conversation.reason = reason;
        conversations.setState(conversation, 'parked');
      });
      conversations.tell({ kind: 'queue' });
      return true;
    },
    remove: async (ref) => {
      conversations.checkOpen();
      const conversation = conversations.get(checkedRef(ref));
      if (conversation === undefined) return;
      if (stateOf(conversation) === 'running') throw heldError(conversation.ref, conversation.owner ?? '');
      conversations.remove(conversation);
      const { tenant } = conversation.ref;
      conversations.tell({ kind: 'events', ...ref }, { kind: 'approvals' }, { kind: 'approvals', tenant });
    },
  };
}

/** Who was lost has left its conversation to the next. */
function stateOf({ state, leaseUntil }: Conversation): SessionState {
  return state === 'running' && leaseUntil <= clock.monotonic() ? 'queued' : state;
}

function shown(conversation: Conversation): StoredSession {
  const { ref, reason, owner, inbox, lastEvent, created, changed } = conversation;
  const state = stateOf(conversation);
  return {
    ...ref,
    state,
    ...(reason !== undefined && { reason }),
    ...(state === 'running' && owner !== undefined && { owner }),
    inbox: inbox.size,
    event: lastEvent,
    created,
    changed,
  };
}

/** By the codes of the characters, as a database that is told so does it. */
function compare(a: SessionRef, b: SessionRef): number {
  if (a.tenant !== b.tenant) return a.tenant < b.tenant ? -1 : 1;
  if (a.session !== b.session) return a.session < b.session ? -1 : 1;
  return 0;
}

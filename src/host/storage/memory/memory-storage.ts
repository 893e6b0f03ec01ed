import { clock } from '../../../protocol/base/clock.js';
import { checkedRef } from '../checked.js';
import type { HostStorage, Retention } from '../port/storage.js';
import { memoryApprovals } from './approvals.js';
import { memoryCommit } from './commit.js';
import { type Conversation, Conversations } from './conversations.js';
import { memoryEvents } from './events.js';
import { memoryInbox } from './inbox.js';
import { memoryJournal } from './journal.js';
import { memoryLeases } from './leases.js';
import { memorySessions } from './sessions.js';
import { memoryTranscript } from './transcript.js';

/** Keeps conversations as long as the program runs: for tests, and for programs whose conversations need not be kept. */
export function memoryStorage(): HostStorage {
  const conversations = new Conversations();
  return {
    inbox: memoryInbox(conversations),
    leases: memoryLeases(conversations),
    journal: (lease) => memoryJournal(conversations, lease),
    events: memoryEvents(conversations),
    approvals: memoryApprovals(conversations),
    sessions: memorySessions(conversations),
    commit: (lease, commit) => memoryCommit(conversations, lease, commit),
    transcript: (of) => memoryTranscript(conversations, 'fence' in of ? of : checkedRef(of)),
    watch: (topic, onChange) => {
      conversations.checkOpen();
      return conversations.watchers.add(topic, onChange);
    },
    sweep: async (retention) => {
      conversations.checkOpen();
      for (const each of conversations.of()) sweep(conversations, each, retention);
    },
    open: async () => conversations.checkOpen(),
    close: async () => conversations.close(),
  };
}

function sweep(
  conversations: Conversations,
  conversation: Conversation,
  { events = {}, doneMaxAgeMs }: Retention,
): void {
  const { maxAgeMs = Number.POSITIVE_INFINITY, maxCount = Number.POSITIVE_INFINITY } = events;
  const oldest = clock.now() - maxAgeMs;
  const kept = conversation.events.findIndex(({ at }) => at >= oldest);
  const old = kept === -1 ? conversation.events.length : kept;
  conversation.events.splice(0, Math.max(old, conversation.events.length - maxCount));
  if (doneMaxAgeMs === undefined) return;
  const before = clock.now() - doneMaxAgeMs;
  for (const [key, { acknowledged }] of conversation.keys) {
    if (acknowledged !== undefined && acknowledged < before) conversation.keys.delete(key);
  }
  // A turn that waits for weeks still needs what its other calls have returned, and what was answered.
  if (conversation.state !== 'idle') return;
  for (const [key, { result, at }] of conversation.journal) {
    if (result !== undefined && at < before) conversation.journal.delete(key);
  }
  for (const { id, key, settled } of conversation.questions.values()) {
    if (settled === undefined || settled >= before) continue;
    conversation.questions.delete(key);
    conversations.questions.delete(id);
  }
}

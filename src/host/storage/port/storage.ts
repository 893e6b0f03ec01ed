import type { Journal } from '../../../protocol/wire/journal.js';
import type { SessionStore } from '../../../protocol/wire/session-store.js';
import type { ApprovalStorage } from './approvals.js';
import type { CommitTo } from './commit.js';
import type { Lease, SessionRef } from './conversation.js';
import type { EventStorage } from './events.js';
import type { InboxStorage } from './inbox.js';
import type { LeaseStorage } from './leases.js';
import type { SessionStorage } from './sessions.js';

/** What may have changed: something to read in an inbox, new events, questions of a tenant, a conversation to run. */
export type Topic =
  | ({ kind: 'inbox' | 'events' } & SessionRef)
  | { kind: 'approvals'; tenant?: string | undefined }
  | { kind: 'queue' };

/** How long things that are done with are kept. Nothing else is ever deleted. */
export interface Retention {
  /** Events older than this, and beyond this number in a conversation. */
  events?: { maxAgeMs?: number | undefined; maxCount?: number | undefined } | undefined;
  /**
   * Entries of the inbox that were acknowledged (and with them their idempotency keys); of conversations without work also
   * answered questions and ended calls.
   */
  doneMaxAgeMs?: number | undefined;
}

/**
 * Where a host keeps its conversations. Everything that a worker writes carries its lease, and is refused with `LEASE_LOST`
 * once somebody else has the conversation. A call that resolved is durable, a call that was refused has changed nothing;
 * after `STORAGE_FAILED` nobody knows.
 *
 * The storage bounds the wait of every call itself: within `LIMITS.storeCallMs` it resolves or rejects. `wake` is the
 * caller's code, and counts. `hostStorageConformance` in `tenon/testing` checks whether a storage meets this contract.
 */
export interface HostStorage {
  readonly inbox: InboxStorage;
  readonly leases: LeaseStorage;
  readonly events: EventStorage;
  readonly approvals: ApprovalStorage;
  readonly sessions: SessionStorage;
  /** What a worker says of its conversation: events, what is dealt with, and that it gives it back. */
  readonly commit: CommitTo;
  /** The calls of tools in a conversation, for the holder of its lease. */
  journal(lease: Lease): Journal;
  /**
   * The transcripts of a conversation, for `options.sessionStore`: those that it has under any key, and no others. Without
   * a lease they can only be read.
   */
  transcript(of: Lease | SessionRef): Required<SessionStore>;
  /**
   * Calls back after each change, soon: within a few milliseconds where the storage can be listened to, within
   * `LIMITS.hostPollMs` otherwise. Also without a change, so read and see. Who watches first and reads then misses nothing.
   * Call what it returns to end it.
   */
  watch(topic: Topic, onChange: () => void): () => void;
  /** Deletes what is no longer to be kept. Several programs may do so at once. */
  sweep(retention: Retention): Promise<void>;
  /** Connects, and creates or updates tables. Every other call does so too; this one tells early what is wrong. */
  open(): Promise<void>;
  /** Ends what the storage itself has started. Calls that are under way are waited for, later ones are refused with `CLOSED`. */
  close(): Promise<void>;
}

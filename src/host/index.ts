// `tenon/host`: many conversations in one program. For now the port of its storage, and the one in memory.

export { LeaseLostError, QueueFullError, StorageError } from './storage/errors.js';
export { memoryStorage } from './storage/memory/memory-storage.js';
export type {
  AnswerOptions,
  Approval,
  ApprovalQuery,
  ApprovalState,
  ApprovalStorage,
} from './storage/port/approvals.js';
export type { Commit, CommitTo, Committed, ReleaseOptions } from './storage/port/commit.js';
export type {
  Lease,
  SessionRef,
  SessionState,
  TransactionQuery,
  Wake,
  WakeOptions,
} from './storage/port/conversation.js';
export type { EventPage, EventStorage, StoredEvent } from './storage/port/events.js';
export type {
  InboxEntry,
  InboxKind,
  InboxMessage,
  InboxStorage,
  QueueLimits,
  Receipt,
  SendOptions,
} from './storage/port/inbox.js';

export type {
  Acquired,
  AcquireOptions,
  ClaimOptions,
  LeaseStorage,
} from './storage/port/leases.js';
export type { SessionQuery, SessionStorage, StoredSession } from './storage/port/sessions.js';
export type { HostStorage, Retention, Topic } from './storage/port/storage.js';

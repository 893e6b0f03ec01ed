// `tenon/host`: many conversations in one program, and where they are kept.

import { query } from '../client/query/query.js';
import { hostOn } from './create-host.js';
import type { Host, HostOptions } from './host.js';

export type {
  ApprovalFilter,
  ApprovalOptions,
  DrainOptions,
  EventOptions,
  Host,
  HostLimits,
  HostOptions,
  HostProblem,
  HostStats,
  IdleOptions,
  LeaseOptions,
  ReadOptions,
  SendPromptOptions,
} from './host.js';
export type {
  ElicitationQuestion,
  HostAnswer,
  HostApproval,
  HostEvent,
  HostMessage,
  HostNotice,
  HostQuestion,
  PermissionQuestion,
  PromptOutcome,
} from './host-messages.js';
export type { Caller, HandlerOptions, Wanted } from './http/handler-options.js';
export { type NodeHandlerOptions, toNodeHandler } from './http/node-handler.js';
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

/**
 * A program that holds any number of conversations: it runs some of them at a time, keeps all of them in its storage, and
 * lets people answer when they like. It works from now on; end it with `drain()`.
 */
export function createHost(options: HostOptions): Host {
  return hostOn(options, query);
}

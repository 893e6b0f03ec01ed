import type { Options } from '../options/options.js';
import type { UserContentBlock } from '../protocol/wire/content.js';
import type { SessionMessage } from '../sessions/session-info.js';
import type { HostAnswer, HostApproval, HostEvent } from './host-messages.js';
import type { HandlerOptions } from './http/handler-options.js';
import type { SessionRef, SessionState } from './storage/port/conversation.js';
import type { Receipt } from './storage/port/inbox.js';
import type { SessionQuery, StoredSession } from './storage/port/sessions.js';
import type { HostStorage, Retention } from './storage/port/storage.js';

/** What `createHost()` takes. */
export interface HostOptions {
  /**
   * The options of a conversation's agent, the same for all or a function of the conversation; called whenever its agent
   * starts. `sessionStore`, `resume`, `sessionId` and the like are the host's. A `canUseTool` of yours is asked first:
   * `null` passes the question on to people.
   */
  options: Options | ((session: SessionRef) => Options | Promise<Options>);
  /** Where conversations are kept. Default: `memoryStorage()`. */
  storage?: HostStorage | undefined;
  limits?: HostLimits | undefined;
  idle?: IdleOptions | undefined;
  approvals?: ApprovalOptions | undefined;
  events?: EventOptions | undefined;
  /** What is deleted once it is done with, and when. Default: events stay, the rest goes after 30 days. */
  retention?: Retention | undefined;
  lease?: LeaseOptions | undefined;
  /** Names this program, for people who look at lists. */
  name?: string | undefined;
  /** Told what concerns no caller, such as a database that is away. Default: a warning of the process. */
  onProblem?: ((problem: HostProblem) => void) | undefined;
}

export interface HostLimits {
  /**
   * Conversations that this program runs at once, and processes of the CLI that it has at once. Default: 200, with the CLI 8,
   * and 32 if `options` is a function, of which nobody knows.
   */
  running?: number | undefined;
  /** Of one tenant, in all programs on this storage. Default: no limit. */
  perTenant?: number | undefined;
  /**
   * Prompts that wait or are worked on: of everybody, of one tenant, and of one conversation, in all programs on this storage.
   * Default: 10,000, no limit, 1,000.
   */
  queued?: number | undefined;
  queuedPerTenant?: number | undefined;
  queuedPerSession?: number | undefined;
  /** Readers of events at once in this process. Default: 10,000. */
  readers?: number | undefined;
}

export interface IdleOptions {
  /** A conversation without work leaves the memory after so long, and comes back with its next prompt. Default: 60,000. */
  evictAfterMs?: number | undefined;
  /** How many stay in memory until then; beyond it the longest idle ones leave at once. Default: 10,000. */
  keep?: number | undefined;
  /** Processes of the CLI that are ready before they are needed, if `options` is the same for all. Default: 0. */
  warm?: number | undefined;
}

export interface ApprovalOptions {
  /** How long a turn waits in memory for an answer before it is put away. Default: 5,000. */
  holdMs?: number | undefined;
}

export interface EventOptions {
  /** Whether text is told as it is written (`stream_event`). Default: true. */
  partialMessages?: boolean | undefined;
  /** How long events are collected before they are stored together. Default: 50. */
  batchMs?: number | undefined;
}

export interface LeaseOptions {
  /** After so long without a sign of life another program may take a conversation over. Default: 15,000. */
  ttlMs?: number | undefined;
  /** A conversation that has lost so many workers in a row is parked. Default: 5. */
  maxCrashes?: number | undefined;
}

export interface HostProblem {
  /** What the host was doing. */
  readonly during: string;
  readonly error: unknown;
  /** Of which conversation, if of one. */
  readonly session?: SessionRef | undefined;
}

export interface SendPromptOptions {
  /** The same key again for one conversation is the same prompt: one turn. */
  idempotencyKey?: string | undefined;
}

export interface ReadOptions {
  /** The id of the last event that was seen. Default: 0, from the beginning. */
  after?: number | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
}

export interface ApprovalFilter {
  tenant?: string | undefined;
  session?: string | undefined;
}

export interface DrainOptions {
  /** How long running turns may take to end by themselves; then they are stopped, to go on elsewhere. Default: 30,000. */
  deadlineMs?: number | undefined;
}

export interface HostStats {
  /** Of all programs on this storage. */
  readonly sessions: Record<SessionState, number>;
  /** Of this one. */
  readonly running: number;
  /** Conversations in memory, running ones included. */
  readonly open: number;
  /** Processes of the CLI, those that wait included. */
  readonly processes: number;
  readonly readers: number;
  /** Since it was made. */
  readonly turns: { readonly answered: number; readonly failed: number; readonly interrupted: number };
  readonly approvals: { readonly asked: number; readonly answered: number; readonly parked: number };
  readonly evicted: number;
  readonly refused: number;
  readonly lostLeases: number;
  readonly retries: number;
}

/** Any number of conversations in one program. */
export interface Host extends AsyncDisposable {
  /**
   * Gives a conversation a prompt; one that is new begins. When it resolves the prompt is stored, and has a turn of its own after
   * those before it. Rejects with `QUEUE_FULL` and `retryAfterMs` if too many wait.
   */
  send(
    ref: SessionRef,
    prompt: string | readonly UserContentBlock[],
    options?: SendPromptOptions,
  ): Promise<Receipt>;
  /** What happens in a conversation, from an event on: first what is stored, then what comes. Leaving the loop stops nothing else. */
  events(ref: SessionRef, options?: ReadOptions): AsyncGenerator<HostEvent, void>;
  /** Questions to people, those that wait already first. Ends with the signal, or with the host. */
  approvals(
    options?: ApprovalFilter & { signal?: AbortSignal | undefined },
  ): AsyncGenerator<HostApproval, void>;
  /** The questions that wait now, the oldest first. */
  pendingApprovals(
    options?: ApprovalFilter & { after?: string | undefined; limit?: number | undefined },
  ): Promise<HostApproval[]>;
  /** The first answer is `taken`, and wakes the conversation. With a `tenant` or `session`, others' questions are `gone`. */
  answer(id: string, answer: HostAnswer, options?: ApprovalFilter): Promise<'taken' | 'already' | 'gone'>;
  /**
   * Ends the running turn, or the one that would come next; prompts after it follow. With `dropQueued` those that were sent before
   * the interrupt do not. A question that waits is withdrawn.
   */
  interrupt(ref: SessionRef, options?: { dropQueued?: boolean | undefined }): Promise<void>;
  sessions(query?: SessionQuery): Promise<StoredSession[]>;
  session(ref: SessionRef): Promise<StoredSession | undefined>;
  /** What was said in a conversation, from its transcript. */
  messages(ref: SessionRef): Promise<SessionMessage[]>;
  /** Lets a parked conversation go on. False: it is not parked. */
  unpark(ref: SessionRef): Promise<boolean>;
  /** Deletes all that there is of a conversation. Rejects with `LEASE_HELD` while it runs. */
  remove(ref: SessionRef): Promise<void>;
  stats(): Promise<HostStats>;
  /** A web-standard handler: `export default { fetch: host.handler({ authorize }) }`. */
  handler(options: HandlerOptions): (request: Request) => Promise<Response>;
  /** Takes on no more work, lets running turns end, and closes. Nothing is lost: what is left goes on with the next program. */
  drain(options?: DrainOptions): Promise<void>;
  /** As `drain` without waiting for turns. */
  close(): Promise<void>;
}

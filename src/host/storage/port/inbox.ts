import type { Lease, SessionRef, WakeOptions } from './conversation.js';

export type InboxKind = 'prompt' | 'answer' | 'interrupt';

/** What is sent to a conversation. `body` is any JSON. */
export interface InboxMessage {
  kind: InboxKind;
  body: unknown;
}

export interface InboxEntry extends InboxMessage {
  /** Unique everywhere, and the same whenever the entry is read: fit for the `uuid` of a user message. */
  readonly id: string;
  /** Its place in the inbox of its conversation; growing, with gaps. */
  readonly number: number;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly at: number;
}

/** Says that an entry is stored. */
export interface Receipt {
  readonly id: string;
  readonly number: number;
  /** The last event of the conversation before: what comes of the entry has a greater id. */
  readonly event: number;
}

/** How many entries that nobody has acknowledged there may be with the new one. Answers and interrupts are not counted. */
export interface QueueLimits {
  all?: number | undefined;
  tenant?: number | undefined;
  session?: number | undefined;
}

export interface SendOptions extends WakeOptions {
  /** The same key again for one conversation: nothing is added, and the receipt is that of the first time. */
  idempotencyKey?: string | undefined;
  limits?: QueueLimits | undefined;
}

/** What people send to conversations, kept until a worker has dealt with it, and said so with `commit`. */
export interface InboxStorage {
  /**
   * Anybody may call it, at any time, for a conversation that need not exist yet. When it resolves, the entry survives
   * whatever the storage survives. Entries of one sender who waits for each receipt stay in order. Rejects with
   * `QUEUE_FULL` if a limit is reached, and with `INVALID_OPTION` if the key was used for another message. After another
   * error the entry may be stored or not: send it again with the same key.
   */
  send(ref: SessionRef, message: InboxMessage, options?: SendOptions): Promise<Receipt>;
  /**
   * The first entries that are not acknowledged: answers and interrupts, however many prompts are before them, then prompts;
   * each in order. For the holder of the lease, as often as it likes.
   */
  read(lease: Lease, options?: { limit?: number | undefined }): Promise<InboxEntry[]>;
}

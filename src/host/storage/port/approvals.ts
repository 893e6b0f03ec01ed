import type { Lease, SessionRef, WakeOptions } from './conversation.js';

/** A question of a conversation to people. `question` is any JSON. */
export interface Approval extends SessionRef {
  readonly id: string;
  /** What it is about within the conversation, such as the id of a call. */
  readonly key: string;
  readonly question: unknown;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly since: number;
}

/** What is known of a question: `gone` was withdrawn before anybody answered. */
export type ApprovalState = { state: 'pending' | 'gone' } | { state: 'answered'; answer: unknown };

export interface AnswerOptions extends WakeOptions {
  /** An approval of another tenant is `gone`. */
  tenant?: string | undefined;
}

export interface ApprovalQuery {
  tenant?: string | undefined;
  session?: string | undefined;
  /** The id of the last one of the page before; one that is no longer known is the beginning. */
  after?: string | undefined;
  limit?: number | undefined;
}

/** Questions that wait for people, for days if need be; nothing is held open for them. */
export interface ApprovalStorage {
  /**
   * Asks, and tells what is known: the same `key` again is the same question, and may be answered by now. For the holder
   * of the lease.
   */
  ask(lease: Lease, key: string, question: unknown): Promise<{ id: string } & ApprovalState>;
  /**
   * The first answer is `taken`: in the same transaction it goes into the inbox, as `{ kind: 'answer', body: { approval, key, answer } }`,
   * and queues the conversation if that waits. Later ones find it `already` answered. Anybody may call it, at any time.
   */
  answer(id: string, answer: unknown, options?: AnswerOptions): Promise<'taken' | 'already' | 'gone'>;
  /** One question, whatever has become of it. Undefined: there is none, or no longer. */
  get(id: string): Promise<(Approval & ApprovalState) | undefined>;
  /** Pending questions, the oldest first. */
  list(query?: ApprovalQuery): Promise<Approval[]>;
}

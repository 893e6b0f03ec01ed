import type { SessionRef } from './conversation.js';

export interface StoredEvent {
  /** 1, 2, 3 … in each conversation, without a gap. */
  readonly id: number;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly at: number;
  /** Any JSON. */
  readonly message: unknown;
}

export interface EventPage {
  events: StoredEvent[];
  /** How many events after `after` are no longer kept: the first of `events` follows them. */
  missed: number;
  /** The id of the conversation's last event, 0 for none. The page ends there, or there is another one. */
  last: number;
}

/** What readers see of conversations. Workers write it with `commit`. */
export interface EventStorage {
  /** The next events after an id, in order. Anybody may call it, at any time. */
  read(
    ref: SessionRef,
    options?: { after?: number | undefined; limit?: number | undefined },
  ): Promise<EventPage>;
}

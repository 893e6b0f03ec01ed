// The port for remembering calls: with the embedded runtime, which asks it, and with a host, which keeps one for each
// conversation.

/** A call of a tool, as a journal knows it: by its session and its id. The rest is for people who read the journal. */
export interface JournaledCall {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The tool says that a call of unknown outcome may be made again, or can tell what has become of it. */
  readonly isRepeatable?: boolean;
}

export type JournalState =
  /** Never begun. */
  | { readonly state: 'new' }
  /** It has run, and this is what `end` was given. */
  | { readonly state: 'done'; readonly result: unknown }
  /** Begun, and never ended: it may or may not have had its effect. */
  | { readonly state: 'uncertain' };

/**
 * Remembers which calls have run, so that a conversation whose program was killed goes on without making one of them
 * twice: `embedded({ journal })`. `journalConformance` in `tenon/testing` checks whether a journal meets this contract.
 *
 * A call that rejects, or takes longer than a store may, ends the turn: a tool is not run if nobody could know of it.
 */
export interface Journal {
  /** Called when a conversation is resumed, for each call without a result, before anybody is asked about it. Changes nothing. */
  look(call: JournaledCall): Promise<JournalState>;
  /**
   * Called right before the handler runs, when everybody has permitted it. What was known until then; `new` means that it
   * has begun now, which survives the program once this resolves. Of several that begin one call, one is told `new`.
   */
  begin(call: JournaledCall): Promise<JournalState>;
  /** Called right after the handler, with JSON. Once it resolves the call is `done`. The first result stays. */
  end(call: JournaledCall, result: unknown): Promise<void>;
}

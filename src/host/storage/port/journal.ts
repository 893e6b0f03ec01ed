/** A call of a tool, known by its session and its id. The rest is for people who read the journal. */
export interface JournalCall {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: unknown;
}

export type JournalState =
  /** Never begun. */
  | { readonly state: 'new' }
  /** It has run, and this is what `end` was given. */
  | { readonly state: 'done'; readonly result: unknown }
  /** Begun, and never ended: it may or may not have had its effect. */
  | { readonly state: 'uncertain' };

/**
 * Which calls of a conversation have run; fits `embedded({ journal })`. A call costs two durable writes of one statement
 * each.
 */
export interface JournalStorage {
  /** Changes nothing. */
  look(call: JournalCall): Promise<JournalState>;
  /** Before the handler: what was known until then. With `new` it has begun now; of several that begin one call, one is told so. */
  begin(call: JournalCall): Promise<JournalState>;
  /** After the handler, with its result as JSON. The first result stays. */
  end(call: JournalCall, result: unknown): Promise<void>;
}

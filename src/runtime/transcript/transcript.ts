import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam, ToolResultBlockParam, ToolUseBlock } from '../../protocol/wire/content.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { promptWords } from '../../sessions/first-prompt.js';
import { isConflict, lastEntryId, type SessionConflictError } from '../../sessions/session-conflict.js';
import { appendTo } from '../../sessions/store-calls.js';
import { type PlacedConfig, RUNTIME_VERSION, type RuntimeStart } from '../start/runtime-config.js';
import { type Boundary, type CompactMetadata, preserved } from './boundary.js';
import { chosenSession, loadConversation } from './loading.js';
import {
  answers,
  deferredEntry,
  deferredIn,
  type OpenCall,
  openCallsIn,
  resultsFor,
  without,
  withResults,
} from './open-calls.js';
import { blocksOf, checkPairs, repaired } from './pairs.js';
import { boundaryEntries, type EntryContext, entriesOf } from './stored-messages.js';

/** Called with entries that have been stored. */
type OnSaved = (key: SessionKey, entries: SessionStoreEntry[]) => void;

const NO_CALLS: readonly OpenCall[] = [];

/** The messages of a conversation, in memory and in the store. The model reads `messages` unchanged. */
export class Transcript {
  readonly key: SessionKey;
  messages: MessageParam[] = [];
  /** Calls of an earlier program that can be finished now. */
  open: readonly OpenCall[] = NO_CALLS;
  /** Somebody else has continued this conversation: nothing of it can be stored any more. */
  conflict: SessionConflictError | undefined;
  readonly #start: RuntimeStart;
  readonly #onSaved: OnSaved;
  /** Where it is kept. Undefined: nowhere. */
  readonly store: SessionStore | undefined;
  /** The conversation that it goes on from: an earlier part of itself, or the one that it is a fork of. */
  origin: SessionKey | undefined;
  /** Entries that are not in the store yet. */
  #unsaved: SessionStoreEntry[] = [];
  #saving: Promise<void> = Promise.resolve();
  /** Errors of writes, reported at the end of the turn. */
  #failures: Error[] = [];
  /** The entry that the next one follows. */
  #last: string | undefined;
  /** The last entry in the store, as far as this writer knows; undefined if a write has failed. */
  #lastStored: string | null | undefined = null;
  #noted: string | undefined;
  /** The ids of the entries of each message. */
  #known: WeakMap<MessageParam, readonly string[]> | undefined;
  #lastPrompt: string | undefined;
  #agentId: string | undefined;
  /** Results that say that a call has none. The store gets them when the conversation goes on without the calls. */
  #owed: ToolResultBlockParam[] | undefined;

  private constructor(
    key: SessionKey,
    store: SessionStore | undefined,
    start: RuntimeStart,
    onSaved: OnSaved,
  ) {
    this.key = key;
    this.store = store;
    this.#start = start;
    this.#onSaved = start.flags.sessionMirror ? onSaved : () => {};
  }

  /** Made with the first message: many conversations wait for long for it. */
  get #ids(): WeakMap<MessageParam, readonly string[]> {
    this.#known ??= new WeakMap();
    return this.#known;
  }

  /**
   * Opens a new or an earlier conversation, as the flags say. If it cannot be resumed, throws before any
   * model call.
   */
  static async open(config: PlacedConfig, start: RuntimeStart, onSaved: OnSaved): Promise<Transcript> {
    const { history: seed = [] } = config;
    const { key, kept, from, store } = await chosenSession(config, start);
    const transcript = new Transcript(key, kept, start, onSaved);
    checkPairs(seed);
    // An earlier conversation already contains the given history.
    if (from !== undefined) await transcript.#take(from, store, config.journal);
    else for (const message of seed) transcript.#add(message);
    transcript.#saveUnlessBatched();
    return transcript;
  }

  /** That of a subagent, which is kept beside this one. */
  ofSubagent(agentId: string, metadata: Readonly<Record<string, unknown>>): Transcript {
    const key = { ...this.key, subpath: `subagents/agent-${agentId}` };
    const transcript = new Transcript(key, this.store, this.#start, this.#onSaved);
    transcript.#agentId = agentId;
    transcript.#unsaved.push({ type: 'agent_metadata', ...metadata });
    return transcript;
  }

  get sessionId(): string {
    return this.key.sessionId;
  }

  /** `lines`: the ids of the lines that showed it to the host; `deferred`: calls whose results in it are none yet. */
  add(message: MessageParam, lines?: readonly string[], model?: string, deferred?: ToolUseBlock[]): void {
    const earlier = this.#owed === undefined ? undefined : this.#settle(message);
    this.#add(message, lines, model, deferred);
    if (earlier !== undefined) this.#join(earlier);
    this.#saveUnlessBatched();
  }

  #add(given: MessageParam, lines?: readonly string[], model?: string, deferred?: ToolUseBlock[]): void {
    // A copy: an in-process host holds parts of the same objects.
    const message = structuredClone(given);
    this.messages.push(message);
    if (deferred === undefined) this.#ids.set(message, this.#keep(message, lines, model));
    else this.#keepOpen(message, lines, deferred);
  }

  /** The results that say that there is none are stored once the conversation goes on. */
  #keepOpen(message: MessageParam, lines: readonly string[] | undefined, deferred: ToolUseBlock[]): void {
    this.#owed = resultsFor(deferred, message);
    const kept = without(message, this.#owed);
    this.#ids.set(message, kept.content.length === 0 ? [] : this.#keep(kept, lines));
    this.#note(deferred);
  }

  #note(deferred: readonly ToolUseBlock[]): void {
    for (const call of deferred) {
      const entry = deferredEntry(call, this.#last, this.#context(undefined));
      this.#unsaved.push(entry);
      this.#last = entry.uuid;
    }
  }

  /** What is said now is the results of open calls, and joins the message returned; or it goes on without them. */
  #settle(given: MessageParam): MessageParam | undefined {
    const owed = this.#owed ?? [];
    this.#owed = undefined;
    this.open = NO_CALLS;
    if (answers(given, owed)) return this.messages.pop();
    this.#keep({ role: 'user', content: owed });
    return undefined;
  }

  #join(earlier: MessageParam): void {
    const added = this.messages.pop() as MessageParam;
    const whole = withResults(earlier, blocksOf(added));
    this.#ids.set(whole, [...(this.#ids.get(earlier) ?? []), ...(this.#ids.get(added) ?? [])]);
    this.messages.push(whole);
  }

  /** Adds a message to what is stored; the ids of its entries. */
  #keep(message: MessageParam, lines: readonly string[] = [], model?: string): string[] {
    const [first = clock.uuid(), ...more] = lines;
    const entries = entriesOf(message, [first, ...more], this.#last, this.#context(model));
    this.#last = entries.at(-1)?.uuid;
    for (const entry of entries) this.#lastPrompt = promptWords(entry).prompt ?? this.#lastPrompt;
    this.#unsaved.push(...entries);
    return entries.map(({ uuid }) => uuid as string);
  }

  /**
   * Other versions of the same messages for the model, such as without results; the store keeps what was said. Returns
   * how many are others.
   */
  replace(messages: readonly MessageParam[]): number {
    let count = 0;
    for (const [index, message] of messages.entries()) {
      const before = this.messages[index];
      if (before === undefined || before === message) continue;
      this.#ids.set(message, this.#ids.get(before) ?? []);
      this.messages[index] = message;
      count += 1;
    }
    return count;
  }

  /** The summary takes the place of the messages before `start`. `addBoundary` then keeps it. */
  compact(summary: MessageParam, start: number): Boundary {
    this.#owed = undefined;
    this.open = NO_CALLS;
    const kept = this.messages.slice(start);
    const uuids = kept.flatMap((message) => this.#ids.get(message) ?? []);
    const anchor = clock.uuid();
    this.#ids.set(summary, [anchor]);
    this.messages.splice(0, this.messages.length, summary, ...kept);
    return { uuid: clock.uuid(), summary: anchor, parent: this.#last, preserved: preserved(anchor, uuids) };
  }

  addBoundary(boundary: Boundary, metadata: CompactMetadata): void {
    const [summary] = this.messages;
    if (summary === undefined) return;
    this.#unsaved.push(...boundaryEntries(boundary, metadata, summary, this.#context(undefined)));
    this.#last = boundary.summary;
    this.#saveUnlessBatched();
  }

  #saveUnlessBatched(): void {
    if (this.#start.sessionStoreFlush !== 'batched') void this.#save();
  }

  /**
   * Records the end of the conversation, which the CLI looks for, and saves. Rejects if anything could not
   * be stored.
   */
  async endTurn(): Promise<void> {
    const isMain = this.#agentId === undefined;
    if (isMain && this.#last !== this.#noted && this.#lastPrompt !== undefined) {
      const { sessionId } = this;
      this.#unsaved.push({
        type: 'last-prompt',
        lastPrompt: this.#lastPrompt,
        leafUuid: this.#last,
        sessionId,
      });
      this.#noted = this.#last;
    }
    await this.stored().finally(() => {
      this.#failures = [];
    });
  }

  /** Resolves when the store has everything that was said; rejects if it could not be stored. */
  async stored(): Promise<void> {
    await this.#save();
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
  }

  /**
   * Writes in order, one write at a time; resolves when the store has accepted everything so far, or
   * failed.
   */
  #save(): Promise<void> {
    const entries = this.#unsaved;
    const { store } = this;
    this.#unsaved = [];
    if (store !== undefined && entries.length > 0) {
      this.#saving = this.#saving.then(() => this.#write(store, entries));
    }
    return this.#saving;
  }

  async #write(store: SessionStore, entries: SessionStoreEntry[]): Promise<void> {
    if (this.conflict !== undefined) return;
    try {
      await appendTo(store, this.key, entries, this.#lastStored);
      this.#lastStored = lastEntryId(entries) ?? this.#lastStored;
      this.#onSaved(this.key, entries);
    } catch (error) {
      if (isConflict(error)) this.conflict = error;
      // It may still arrive.
      else this.#lastStored = undefined;
      this.#failures.push(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  #context(model: string | undefined): EntryContext {
    return {
      sessionId: this.sessionId,
      cwd: this.#start.cwd,
      version: RUNTIME_VERSION,
      model,
      agentId: this.#agentId,
    };
  }

  async #take(from: SessionKey, store: SessionStore | undefined, journal: unknown): Promise<void> {
    const { stored, said, leaf } = await loadConversation(from, store, this.#start);
    this.origin = from;
    for (const { message, ids } of said) this.#ids.set(message, ids);
    // A fork copies everything under its own id; otherwise new entries follow the last one that counts.
    if (from.sessionId !== this.sessionId) for (const { message, ids } of said) this.#add(message, ids);
    else {
      this.#last = leaf;
      this.#lastStored = lastEntryId(stored) ?? null;
    }
    const messages = said.map(({ message }) => message);
    const deferred = deferredIn(stored);
    this.messages = repaired(messages, deferred);
    const isFork = from.sessionId !== this.sessionId;
    const calls = openCallsIn(
      messages,
      this.#start.flags.resumeSessionAt === undefined ? deferred : new Set(),
    );
    // What another conversation has begun is not for its fork to finish.
    this.open = calls.filter(({ isDeferred }) => isDeferred || (journal !== undefined && !isFork));
    if (this.open.length === 0) return;
    const blocks = this.open.map(({ block }) => block);
    this.#owed = resultsFor(blocks, this.messages.at(-1));
    if (isFork) this.#note(blocks);
  }
}

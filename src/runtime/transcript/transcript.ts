import { clock } from '../../protocol/base/clock.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/wire/messages/index.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { promptWords } from '../../sessions/first-prompt.js';
import { isSessionId } from '../../sessions/project-key.js';
import { isConflict, lastEntryId, type SessionConflictError } from '../../sessions/session-conflict.js';
import { appendTo, readFrom } from '../../sessions/store-calls.js';
import { type PlacedConfig, RUNTIME_VERSION, type RuntimeStart } from '../start/runtime-config.js';
import { checkPairs, repaired } from './pairs.js';
import { boundaryEntries, conversationIn, type EntryContext, entriesOf } from './stored-messages.js';

/** Called with entries that have been stored. */
type OnSaved = (key: SessionKey, entries: SessionStoreEntry[]) => void;

/** As in the line that the host reads. */
export type CompactMetadata = SDKCompactBoundaryMessage['compact_metadata'];

/** Where a conversation begins anew. */
export interface Boundary {
  uuid: string;
  /** The id of the message with the summary. */
  summary: string;
  /** The last entry before it. */
  parent: string | undefined;
  /** What is kept from before, word for word. */
  preserved: Pick<CompactMetadata, 'preserved_segment' | 'preserved_messages'>;
}

/** The messages of a conversation, in memory and in the store. The model reads `messages` unchanged. */
export class Transcript {
  readonly key: SessionKey;
  messages: MessageParam[] = [];
  /** Somebody else has continued this conversation: nothing of it can be stored any more. */
  conflict: SessionConflictError | undefined;
  readonly #start: RuntimeStart;
  readonly #onSaved: OnSaved;
  /** Where it is kept. Undefined: nowhere. */
  readonly store: SessionStore | undefined;
  /** The conversation that it goes on from: an earlier part of itself, or the one that it is a fork of. */
  #origin: SessionKey | undefined;
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
    const { flags, cwd, sessionStore: store = config.sessionStore, loadTimeoutMs } = start;
    const { history: seed = [] } = config;
    if (flags.sessionId !== undefined && !isSessionId(flags.sessionId)) {
      throw new TenonError('INVALID_OPTION', `Invalid session ID: "${flags.sessionId}" is not a UUID.`);
    }
    const projectKey = await config.platform.projectKey(cwd);
    const from =
      flags.resume ?? (flags.continue ? await latestOf(store, projectKey, loadTimeoutMs) : undefined);
    const isNew = from === undefined || flags.forkSession;
    const key = { projectKey, sessionId: isNew ? (flags.sessionId ?? clock.uuid()) : from };
    const kept = flags.persistSession ? store : undefined;
    if (isNew && flags.sessionId !== undefined && (await loadFrom(kept, key, loadTimeoutMs)) != null) {
      throw new TenonError('SESSION_ID_IN_USE', `Session ID ${key.sessionId} is already in use.`);
    }
    const transcript = new Transcript(key, kept, start, onSaved);
    checkPairs(seed);
    // An earlier conversation already contains the given history.
    if (from !== undefined) await transcript.#take({ projectKey, sessionId: from }, store);
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

  get origin(): SessionKey | undefined {
    return this.#origin;
  }

  get sessionId(): string {
    return this.key.sessionId;
  }

  /** `lines`: the ids of the lines that showed it to the host. */
  add(message: MessageParam, lines?: readonly string[], model?: string): void {
    this.#add(message, lines, model);
    this.#saveUnlessBatched();
  }

  #add(given: MessageParam, lines: readonly string[] = [], model?: string): void {
    // A copy: an in-process host holds parts of the same objects.
    const message = structuredClone(given);
    const [first = clock.uuid(), ...more] = lines;
    this.messages.push(message);
    const entries = entriesOf(message, [first, ...more], this.#last, this.#context(model));
    this.#ids.set(
      message,
      entries.map(({ uuid }) => uuid as string),
    );
    this.#last = entries.at(-1)?.uuid;
    for (const entry of entries) this.#lastPrompt = promptWords(entry).prompt ?? this.#lastPrompt;
    for (const entry of entries) this.#unsaved.push(entry);
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
    await this.#save();
    const [failure] = this.#failures;
    this.#failures = [];
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

  async #take(from: SessionKey, store: SessionStore | undefined): Promise<void> {
    const { flags, loadTimeoutMs } = this.#start;
    // Anything else is not loaded: it may be a path out of the store's folder.
    const stored = isSessionId(from.sessionId) ? await loadFrom(store, from, loadTimeoutMs) : undefined;
    if (stored == null) {
      throw new TenonError('SESSION_NOT_FOUND', `No conversation found with session ID: ${from.sessionId}`);
    }
    const until = flags.resumeSessionAt;
    const conversation = conversationIn(stored, until);
    if (conversation === undefined) {
      throw new TenonError('SESSION_NOT_FOUND', `No message found with message.uuid of: ${until}`);
    }
    this.#origin = from;
    const { said, leaf } = conversation;
    for (const { message, ids } of said) this.#ids.set(message, ids);
    // A fork copies everything under its own id; otherwise new entries follow the last one that counts.
    if (from.sessionId !== this.sessionId) for (const { message, ids } of said) this.#add(message, ids);
    else {
      this.#last = leaf;
      this.#lastStored = lastEntryId(stored) ?? null;
    }
    this.messages = repaired(said.map(({ message }) => message));
  }
}

/** Empty if nothing is kept. */
function preserved(anchor: string, uuids: readonly string[]): Boundary['preserved'] {
  const [head] = uuids;
  const tail = uuids.at(-1);
  if (head === undefined || tail === undefined) return {};
  return {
    preserved_segment: { head_uuid: head, anchor_uuid: anchor, tail_uuid: tail },
    preserved_messages: { anchor_uuid: anchor, uuids: [...uuids], all_uuids: [...uuids] },
  } as Boundary['preserved'];
}

async function latestOf(
  store: SessionStore | undefined,
  projectKey: string,
  timeoutMs: number | undefined,
): Promise<string | undefined> {
  const sessions = await readFrom('listSessions', async () => store?.listSessions?.(projectKey), timeoutMs);
  return sessions?.toSorted((left, right) => right.mtime - left.mtime)[0]?.sessionId;
}

function loadFrom(
  store: SessionStore | undefined,
  key: SessionKey,
  timeoutMs: number | undefined,
): Promise<SessionStoreEntry[] | null> {
  return readFrom('load', async () => store?.load(key) ?? null, timeoutMs);
}

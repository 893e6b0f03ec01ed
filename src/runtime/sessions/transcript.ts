import { randomUUID } from 'node:crypto';
import type { MessageParam } from '../../protocol/content.js';
import { TenonError } from '../../protocol/errors.js';
import type { RuntimeFlags } from '../flags.js';
import { checkPairs, repaired } from './pairs.js';
import type { RuntimeSessionStore, SessionEntry } from './session-store.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What was said in a conversation, in memory and in the store. The model reads `messages` as they are. */
export class Transcript {
  readonly sessionId: string;
  readonly messages: MessageParam[] = [];
  readonly #store: RuntimeSessionStore | undefined;
  readonly #cwd: string;
  /** What is in memory and not in the store yet. */
  #unsaved: SessionEntry[] = [];
  #saving: Promise<void> = Promise.resolve();
  /** The next entry does not follow the last one in the store, but this one. */
  #branchesAfter: string | undefined;

  private constructor(sessionId: string, cwd: string, store: RuntimeSessionStore | undefined) {
    this.sessionId = sessionId;
    this.#cwd = cwd;
    this.#store = store;
  }

  /** A new conversation, or an old one as the flags say. What cannot be gone on with is an error, before any model call. */
  static async open(
    flags: RuntimeFlags,
    cwd: string,
    store: RuntimeSessionStore | undefined,
    seed: readonly MessageParam[],
  ): Promise<Transcript> {
    if (flags.sessionId !== undefined && !UUID.test(flags.sessionId)) {
      throw new TenonError('INVALID_OPTION', `Invalid session ID: "${flags.sessionId}" is no UUID.`);
    }
    const from = flags.resume ?? (flags.continue ? await store?.latest(cwd) : undefined);
    const isNew = from === undefined || flags.forkSession;
    const sessionId = isNew ? (flags.sessionId ?? randomUUID()) : from;
    const kept = flags.persistSession ? store : undefined;
    if (isNew && flags.sessionId !== undefined && (await kept?.load({ cwd, sessionId })) !== undefined) {
      throw new TenonError('SESSION_ID_IN_USE', `Session ID ${sessionId} is already in use.`);
    }
    const transcript = new Transcript(sessionId, cwd, kept);
    checkPairs(seed);
    // What was said before the first prompt is in an old conversation already.
    if (from !== undefined) await transcript.#take(from, store, flags);
    else for (const message of seed) transcript.add(message);
    return transcript;
  }

  /** `lines`: the ids under which the host has seen it. */
  add(said: MessageParam, lines: readonly string[] = []): void {
    // A copy: in memory the host holds parts of the same objects.
    const message = structuredClone(said);
    const [uuid = randomUUID(), ...more] = lines;
    const after = this.#branchesAfter;
    this.#branchesAfter = undefined;
    this.messages.push(message);
    this.#unsaved.push({
      uuid,
      ...(more.length === 0 ? {} : { lines: more }),
      ...(after === undefined ? {} : { after }),
      message,
    });
  }

  /** In order, one write at a time; resolves when what was said before is in the store. */
  save(): Promise<void> {
    const entries = this.#unsaved;
    this.#unsaved = [];
    if (this.#store !== undefined && entries.length > 0) {
      const key = { cwd: this.#cwd, sessionId: this.sessionId };
      const write = (): Promise<void> | undefined => this.#store?.append(key, entries);
      this.#saving = this.#saving.then(write, write);
    }
    return this.#saving;
  }

  async #take(from: string, store: RuntimeSessionStore | undefined, flags: RuntimeFlags): Promise<void> {
    // Not asked for: whatever is no id may be a path out of the store's own folder.
    const stored = UUID.test(from) ? await store?.load({ cwd: this.#cwd, sessionId: from }) : undefined;
    if (stored === undefined) {
      throw new TenonError('SESSION_NOT_FOUND', `No conversation found with session ID: ${from}`);
    }
    const entries = branchOf(stored);
    const until = flags.resumeSessionAt;
    const last = until === undefined ? entries.length - 1 : entries.findIndex((entry) => shows(entry, until));
    if (until !== undefined && last === -1) {
      throw new TenonError('SESSION_NOT_FOUND', `No message found with message.uuid of: ${until}`);
    }
    const kept = entries.slice(0, last + 1);
    if (from !== this.sessionId)
      for (const { message, uuid, lines = [] } of kept) this.add(message, [uuid, ...lines]);
    else if (last < entries.length - 1) this.#branchesAfter = entries[last]?.uuid;
    this.messages.splice(0, this.messages.length, ...repaired(kept.map(({ message }) => message)));
  }
}

function shows({ uuid, lines }: SessionEntry, id: string): boolean {
  return uuid === id || (lines?.includes(id) ?? false);
}

/** What counts of everything that was written: an entry that goes back to an earlier one drops what was between. */
function branchOf(stored: readonly SessionEntry[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const entry of stored) {
    if (entry.after !== undefined) entries.length = entries.findIndex(({ uuid }) => uuid === entry.after) + 1;
    entries.push(entry);
  }
  return entries;
}

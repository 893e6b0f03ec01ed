import { randomUUID } from 'node:crypto';
import type { MessageParam, ToolResultBlockParam, UserContentBlock } from '../../protocol/content.js';
import { TenonError } from '../../protocol/errors.js';
import type { RuntimeFlags } from '../flags.js';
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
    if (from !== undefined) await transcript.#take(from, store, flags);
    checkPairs(seed);
    for (const message of seed) transcript.add(message);
    return transcript;
  }

  add(message: MessageParam, uuid: string = randomUUID()): void {
    this.messages.push(message);
    this.#unsaved.push({ uuid, message });
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
    const entries = await store?.load({ cwd: this.#cwd, sessionId: from });
    if (entries === undefined) {
      throw new TenonError('SESSION_NOT_FOUND', `No conversation found with session ID: ${from}`);
    }
    const until = flags.resumeSessionAt;
    const last = until === undefined ? entries.length - 1 : entries.findIndex(({ uuid }) => uuid === until);
    if (until !== undefined && last === -1) {
      throw new TenonError('SESSION_NOT_FOUND', `No message found with message.uuid of: ${until}`);
    }
    const kept = completed(entries.slice(0, last + 1));
    if (from === this.sessionId) this.messages.push(...kept.map(({ message }) => message));
    else for (const { message, uuid } of kept) this.add(message, uuid);
  }
}

/** A crash in the middle of a turn can leave calls without results; the model's API refuses such a history. */
function completed(entries: SessionEntry[]): SessionEntry[] {
  const last = entries.at(-1);
  const open = last === undefined ? [] : toolUsesOf(last.message);
  if (open.length === 0) return entries;
  const results = open.map(
    (id): ToolResultBlockParam => ({
      type: 'tool_result',
      tool_use_id: id,
      content: 'The call was cut off before it had a result. It may have had an effect.',
      is_error: true,
    }),
  );
  return [...entries, { uuid: randomUUID(), message: { role: 'user', content: results } }];
}

/** A history given by hand: every call needs its result in the next message. */
export function checkPairs(messages: readonly MessageParam[]): void {
  for (const [index, message] of messages.entries()) {
    const asked = toolUsesOf(message);
    const answered = new Set(toolResultsOf(messages[index + 1]));
    const missing = asked.find((id) => !answered.has(id));
    if (missing !== undefined) {
      throw new TenonError(
        'INVALID_OPTION',
        `history[${index}]: the call "${missing}" has no result in the next message.`,
      );
    }
    const before = new Set(toolUsesOf(messages[index - 1]));
    const stray = toolResultsOf(message).find((id) => !before.has(id));
    if (stray !== undefined) {
      throw new TenonError(
        'INVALID_OPTION',
        `history[${index}]: the result "${stray}" answers no call of the message before.`,
      );
    }
  }
}

function blocksOf(message: MessageParam | undefined): UserContentBlock[] {
  const content = message?.content;
  return Array.isArray(content) ? (content as UserContentBlock[]) : [];
}

function toolUsesOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function toolResultsOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

// What stands at the end of a transcript of the Claude Code CLI, and what the host adds there while no process has it open.

import { clock, timestamp } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';

/** A call of the last answer that has no result. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  /** Noted as one that the CLI is to try again. */
  readonly isNoted: boolean;
}

/**
 * In the order in which the model has made them. A result anywhere in the file counts: a call that may have one is never
 * made again.
 */
export function openCalls(entries: readonly SessionStoreEntry[]): OpenCall[] {
  const last = entries.findLast((entry) => entry.type === 'assistant' && entry.isSidechain !== true);
  const answer = isRecord(last?.message) ? last.message.id : undefined;
  const isOf = ({ type, message }: SessionStoreEntry): boolean =>
    type === 'assistant' && isRecord(message) && message.id === answer;
  const calls = entries.filter((entry) => entry === last || isOf(entry)).flatMap(blocksOf);
  const answered = new Set(entries.flatMap(blocksOf).map(({ tool_use_id: id }) => id));
  const noted = notedCalls(entries);
  return calls
    .filter(({ type, id }) => type === 'tool_use' && !answered.has(id))
    .map(({ id, name, input }) => ({
      id: String(id),
      name: String(name),
      input: isRecord(input) ? input : {},
      isNoted: noted.has(id),
    }));
}

/** The ids of the calls in entries that were just written. */
export function callsIn(entries: readonly SessionStoreEntry[]): string[] {
  return entries
    .filter(({ type }) => type === 'assistant')
    .flatMap(blocksOf)
    .flatMap(({ type, id }) => (type === 'tool_use' && typeof id === 'string' ? [id] : []));
}

/** What the CLI itself puts in after a prompt that nobody has answered. Nobody has said it. */
export function isFiller(message: unknown): boolean {
  if (!isRecord(message) || message.model !== '<synthetic>' || !Array.isArray(message.content)) return false;
  return message.content.every((block) => isRecord(block) && block.text === 'No response requested.');
}

/** More entries for a transcript, in the format of the CLI, each after the one before. */
export class Addendum {
  readonly entries: SessionStoreEntry[] = [];
  readonly #stored: readonly SessionStoreEntry[];
  readonly #context: SessionStoreEntry;
  #parent: string | null;

  constructor(stored: readonly SessionStoreEntry[]) {
    const last = stored.findLast(({ uuid, parentUuid }) => uuid !== undefined && parentUuid !== undefined);
    const { userType, entrypoint, cwd, sessionId, version, gitBranch } = last ?? { type: '' };
    this.#stored = stored;
    this.#parent = last?.uuid ?? null;
    this.#context = { type: '', userType, entrypoint, cwd, sessionId, version, gitBranch };
  }

  /** A result that is an error, in words for the model. */
  refuse(call: OpenCall, text: string): void {
    this.answer(call, { type: 'tool_result', tool_use_id: call.id, content: text, is_error: true });
  }

  answer(call: OpenCall, block: ToolResultBlockParam): void {
    const source = this.#stored.find((entry) => callsIn([entry]).includes(call.id));
    this.#add({
      type: 'user',
      message: { role: 'user', content: [{ ...block, tool_use_id: call.id }] },
      toolUseResult: block.content,
      sourceToolAssistantUUID: source?.uuid,
    });
  }

  /** The CLI tries the last call that is noted, as soon as it resumes the conversation. */
  note({ id, name, input }: OpenCall): void {
    const attachment = {
      type: NOTE,
      toolUseID: id,
      toolName: name,
      toolInput: input,
      hookName: `PreToolUse:${name}`,
      hookEvent: 'PreToolUse',
    };
    this.#add({ type: 'attachment', attachment });
  }

  /** The results among them, as readers are told them. */
  get results(): SDKUserMessage[] {
    return this.entries
      .filter(({ type }) => type === 'user')
      .map(({ message, uuid, sessionId }) => ({
        type: 'user',
        message: message as SDKUserMessage['message'],
        parent_tool_use_id: null,
        uuid: uuid as NonNullable<SDKUserMessage['uuid']>,
        session_id: String(sessionId),
      }));
  }

  #add(entry: SessionStoreEntry): void {
    const uuid = clock.uuid();
    const { type: _type, ...context } = this.#context;
    this.entries.push({
      parentUuid: this.#parent,
      isSidechain: false,
      ...entry,
      uuid,
      timestamp: timestamp(),
      ...context,
    });
    this.#parent = uuid;
  }
}

const NOTE = 'hook_deferred_tool';

function notedCalls(entries: readonly SessionStoreEntry[]): Set<unknown> {
  return new Set(
    entries.flatMap(({ type, attachment }) =>
      type === 'attachment' && isRecord(attachment) && attachment.type === NOTE ? [attachment.toolUseID] : [],
    ),
  );
}

function blocksOf({ message, isSidechain }: SessionStoreEntry): Record<string, unknown>[] {
  const content = isRecord(message) && isSidechain !== true ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

import { clock, timestamp } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { AssistantContentBlock, MessageParam, StreamEvent } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKMessageOrigin, SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import type { RefusedPrompt } from '../hooks/prompt-hooks.js';
import type { RuntimeStart } from '../start/runtime-config.js';
import type { SubagentStats } from '../subagents/tally.js';
import { missingTools } from '../tools/missing-tools.js';
import type { StructuredOutput } from '../tools/structured-output.js';
import type { Transcript } from '../transcript/transcript.js';
import { type AssistantMessage, emptyCounts } from '../turn/assistant-stream.js';
import { emptyTurn, type TurnOutcome } from '../turn/turn-record.js';
import type { UsageLedger } from '../turn/usage.js';
import type { AgentConversation } from './conversation.js';
import { initFields } from './init-line.js';
import type {
  AnsweredFields,
  AssistantFields,
  AssistantLine,
  LocalCommandFields,
  ResultLine,
  SystemLines,
  UserFields,
  WrittenLine,
} from './written-lines.js';

/** Writes the lines that the host reads, each with the session's id and its own. */
export class Lines {
  readonly #send: (line: MessageFrame) => boolean;
  readonly #drained: () => Promise<void>;
  #isBehind = false;
  sessionId: string;
  /** The host's ids of the messages that the turn answers, for those that have one. */
  answered: string[] = [];

  /** `send` returns false when the host is behind; `drained` resolves when it no longer is. */
  constructor(sessionId: string, send: (line: MessageFrame) => boolean, drained: () => Promise<void>) {
    this.sessionId = sessionId;
    this.#send = send;
    this.#drained = drained;
  }

  /** To be awaited before much more is written; undefined when the host reads. */
  room(): Promise<void> | undefined {
    if (!this.#isBehind) return undefined;
    this.#isBehind = false;
    return this.#drained();
  }

  /** For a subagent, whose lines pass through `write` on their way to the host. */
  through(write: (line: MessageFrame, send: (line: MessageFrame) => boolean) => boolean): Lines {
    return new Lines(this.sessionId, (line) => write(line, this.#send), this.#drained);
  }

  /** Returns the id of the line: its own if it has one. */
  send(line: WrittenLine): string {
    return this.#write(line);
  }

  /** New entries of the store, for a host that keeps a copy. This is not a message, so it has no id. */
  mirror(filePath: string, entries: readonly SessionStoreEntry[]): void {
    this.#send({ type: 'transcript_mirror', filePath, entries });
  }

  system<Subtype extends keyof SystemLines>(subtype: Subtype, fields: SystemLines[Subtype]): void {
    this.#write({ type: 'system', subtype, ...fields });
  }

  /** One line per block, all with the id of the message they belong to. */
  assistant(message: AssistantMessage, block: AssistantContentBlock, more: AssistantFields = {}): string {
    return this.send({
      type: 'assistant',
      message: {
        id: message.id,
        type: 'message',
        role: 'assistant',
        model: message.model,
        // A copy: an in-process host gets this very object, and its changes must not affect the transcript.
        content: [structuredClone(block)],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...message.startUsage },
        context_management: null,
      },
      parent_tool_use_id: null,
      timestamp: timestamp(),
      ...more,
    });
  }

  /** A message of the runtime itself, instead of an answer that failed. Returns its `stop_reason`. */
  synthetic(text: string, more: AssistantFields): string {
    const stop_reason = 'stop_sequence';
    this.#own(text, { stop_reason, stop_sequence: '' }, more);
    return stop_reason;
  }

  /** What a command has to say, in place of an answer. */
  commandSays(text: string, more: Partial<LocalCommandFields> = {}): void {
    this.#own(text, { stop_reason: 'end_turn', stop_sequence: null }, more);
  }

  #own(
    text: string,
    stop: Pick<AssistantLine['message'], 'stop_reason' | 'stop_sequence'>,
    more: AssistantFields,
  ): void {
    this.send({
      type: 'assistant',
      message: {
        id: clock.uuid(),
        type: 'message',
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text }],
        ...stop,
        usage: {
          ...emptyCounts(),
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
          service_tier: null,
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        },
        context_management: null,
      },
      parent_tool_use_id: null,
      timestamp: timestamp(),
      ...more,
    });
  }

  user(content: MessageParam['content'], more: UserFields = {}): string {
    return this.send({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      timestamp: timestamp(),
      ...more,
    });
  }

  /** Which messages a line answers. */
  answeredFields(): AnsweredFields {
    const [first] = this.answered;
    return first === undefined ? {} : { user_message_uuid: first, user_message_uuids: [...this.answered] };
  }

  /** Reports the progress of a message from the host, if it has an id. */
  lifecycle({ uuid }: MessageFrame, state: 'queued' | 'started' | 'completed'): void {
    if (typeof uuid === 'string') this.send({ type: 'command_lifecycle', command_uuid: uuid, state });
  }

  streamEvent(event: StreamEvent, apiMessageId: string): void {
    this.send({ type: 'stream_event', event, parent_tool_use_id: null, api_message_id: apiMessageId });
  }

  #write(line: Readonly<MessageFrame>): string {
    const uuid = typeof line.uuid === 'string' ? line.uuid : clock.uuid();
    if (!this.#send({ ...line, session_id: this.sessionId, uuid })) this.#isBehind = true;
    return uuid;
  }
}

export interface ResultFacts {
  durationMs: number;
  usage: UsageLedger;
  denials: SDKPermissionDenial[];
  structured: StructuredOutput | undefined;
  index: number;
  queued: number;
  /** Which messages it answers. */
  answered: AnsweredFields;
  /** Where the message that it answers came from, if not from the host. */
  origin: SDKMessageOrigin | undefined;
  subagents: SubagentStats | undefined;
}

/** The line that ends a turn. An error has `errors` and no `result`, as in the CLI. */
export function resultLine(outcome: TurnOutcome, facts: ResultFacts): ResultLine {
  const { subtype, isError, terminalReason, text, stopReason, numTurns, apiErrorStatus, apiErrorType } =
    outcome;
  const { usage, structured } = facts;
  const common = {
    type: 'result' as const,
    is_error: isError,
    ...(apiErrorType === undefined ? {} : { api_error_type: apiErrorType }),
    num_turns: numTurns,
    duration_ms: Math.round(facts.durationMs),
    // Like the cost, of the whole conversation.
    duration_api_ms: Math.round(usage.apiMs),
    stop_reason: stopReason,
    ...(terminalReason === undefined ? {} : { terminal_reason: terminalReason }),
    total_cost_usd: usage.totalCostUsd(),
    usage: usage.turnUsage(),
    modelUsage: usage.modelUsage(),
    permission_denials: facts.denials,
    ...(outcome.deferredToolUse === undefined ? {} : { deferred_tool_use: outcome.deferredToolUse }),
    ...(structured?.isGiven ? { structured_output: structured.value } : {}),
    ...(outcome.localCommand === undefined ? {} : { local_command: outcome.localCommand }),
    result_index: facts.index,
    queued_turn_count: facts.queued,
    ...(facts.origin === undefined ? {} : { origin: facts.origin }),
    ...(facts.subagents === undefined ? {} : { subagent_stats: facts.subagents }),
    ...facts.answered,
  };
  if (subtype !== 'success') return { ...common, subtype, errors: [text] };
  // If the model was not asked, or is yet to be told of a call, there is no API status.
  const isAnswered = numTurns > 0 && outcome.deferredToolUse === undefined;
  const status = isAnswered ? { api_error_status: apiErrorStatus ?? null } : {};
  return { ...common, subtype, result: text, ...status };
}

/** The model is not asked. The host gets the reason twice: as a message and as the result. */
export function refused(refusal: RefusedPrompt, lines: Lines): TurnOutcome {
  lines.system('informational', { ...refusal, level: 'warning', prevent_continuation: true });
  return emptyTurn(refusal.content);
}

/** Stores a turn; the host is told if that fails. */
export async function saved(transcript: Transcript, lines: Lines): Promise<void> {
  try {
    await transcript.endTurn();
  } catch (error) {
    lines.system('mirror_error', { error: messageOf(error), key: transcript.key });
  }
}

/**
 * Warnings for the host: on stderr, and as a message. Between turns they are held back, since nobody reads
 * then.
 */
export class Warnings {
  isTurnRunning = false;
  readonly #lines: Lines;
  readonly #onStderr: ((text: string) => void) | undefined;
  readonly #waiting: string[] = [];
  /** Made when needed: most conversations have no warnings. */
  #said: Set<string> | undefined;

  constructor(lines: Lines, onStderr: ((text: string) => void) | undefined) {
    this.#lines = lines;
    this.#onStderr = onStderr;
  }

  add(text: string): void {
    if (!this.isTurnRunning) {
      this.#waiting.push(text);
      return;
    }
    this.#onStderr?.(`warning: ${text}\n`);
    this.#lines.system('informational', { content: text, level: 'warning' });
  }

  /** For what would otherwise be said with every request. */
  addOnce(text: string): void {
    this.#said ??= new Set();
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.add(text);
  }

  /** Writes the first line of a turn, and the warnings that were held back. */
  introduce(conversation: AgentConversation, { cwd, flags }: RuntimeStart, isFirst: boolean): void {
    const { answered } = this.#lines;
    this.#lines.system('init', {
      ...initFields(conversation, cwd),
      ...(answered.length === 0 ? {} : { user_message_uuids: [...answered] }),
    });
    for (const text of this.#waiting.splice(0)) this.add(text);
    // The tools are known once the first turn starts.
    if (isFirst) for (const text of missingTools(flags, conversation.tools)) this.add(text);
  }
}

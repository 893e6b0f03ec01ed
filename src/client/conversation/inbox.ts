import { clock, type Timer } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import type { DroppedFrame, Transport } from '../../protocol/transport/transport.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type {
  SDKInformationalMessage,
  SDKMessage,
  SDKResultMessage,
  SDKToolProgressMessage,
} from '../../protocol/wire/messages/index.js';
import { progressFields } from '../../protocol/wire/progress.js';
import type { Callbacks } from '../callbacks/callbacks.js';
import { failureOf } from '../query/results.js';
import { Compactions, type CompactMetadata } from './compactions.js';
import type { ConversationSettings } from './conversation-settings.js';
import { checkStructure } from './structured-result.js';
import type { TurnState } from './turn-state.js';
import { ReadingPolicy, UnreadMessages } from './unread-messages.js';

/** How far a call of an in-process tool is. */
export interface ToolProgress {
  toolUseId: string;
  toolName: string;
  /** On the monotonic clock. */
  startedAt: number;
  report: Record<string, unknown>;
}

/** The agent's messages on their way to the consumer. */
export class Inbox {
  /** The agent reports the progress of tools itself (`tool_progress` among its capabilities). */
  hearsOfProgress = false;
  /** The agent calls hooks of the host at the end of a session (`session_end_hooks` among its capabilities). */
  callsEndHooks = false;
  /** The id under which the agent stores this conversation, once known. */
  sessionId: string | undefined;
  lastResult: SDKResultMessage | undefined;
  readonly #turns: TurnState;
  readonly #reading: ReadingPolicy;
  readonly #unread: UnreadMessages;
  readonly #results: ResultDelivery;
  /** Made when it is needed: most programs never ask for one. */
  #compactions: Compactions | undefined;

  constructor(
    turns: TurnState,
    transport: Transport,
    channel: Pick<ControlChannel, 'openRequests'>,
    callbacks: Pick<Callbacks, 'any'>,
    settings: Pick<ConversationSettings, 'maxUnreadBytes' | 'outputSchema'>,
  ) {
    this.#turns = turns;
    this.#reading = new ReadingPolicy(transport, channel, callbacks, settings.maxUnreadBytes);
    // Whoever sets a limit of their own wants it to the byte.
    const unmeasured = settings.maxUnreadBytes === LIMITS.maxUnreadBytes ? LIMITS.unmeasuredMessages : 0;
    this.#unread = new UnreadMessages(this.#reading, unmeasured);
    this.#results = new ResultDelivery(turns, this.#unread, settings.outputSchema);
  }

  receive(message: MessageFrame, byteLength: number): void {
    if (typeof message.session_id === 'string' && message.session_id !== '') {
      this.sessionId = message.session_id;
    }
    if (message.type === 'system' && message.subtype === 'init' && Array.isArray(message.capabilities)) {
      this.hearsOfProgress = message.capabilities.includes('tool_progress');
      this.callsEndHooks = message.capabilities.includes('session_end_hooks');
    }
    this.#turns.observe(message);
    if (this.#compactions?.receive(message)) return;
    if (message.type !== 'result') {
      this.#results.receive(message, byteLength);
      return;
    }
    // A copy, because fields are added: the frame belongs to its transport, which may have frozen it.
    const result = { ...message };
    this.#results.receive(result, byteLength);
    this.lastResult = result as unknown as SDKResultMessage;
  }

  /** The same message as from an agent that reports progress itself. */
  progressed({ toolUseId, toolName, startedAt, report }: ToolProgress): void {
    const shown: SDKToolProgressMessage = {
      type: 'tool_progress',
      tool_use_id: toolUseId,
      tool_name: toolName,
      parent_tool_use_id: toolUseId,
      elapsed_time_seconds: Math.round((clock.monotonic() - startedAt) / 1000),
      ...progressFields(report),
      uuid: clock.uuid(),
      session_id: this.sessionId ?? '',
    };
    this.#results.receive({ ...shown }, 0);
  }

  /** The report of a frame that is not delivered takes its place. */
  dropped({ problem, head, reason, byteLength }: DroppedFrame): void {
    const report: SDKInformationalMessage = {
      type: 'system',
      subtype: 'informational',
      level: 'warning',
      tag: 'frame_dropped',
      content: `${problem} It begins: ${head}`,
      dropped: { reason, byte_length: byteLength },
      uuid: clock.uuid(),
      session_id: this.sessionId ?? '',
    };
    this.#results.receive({ ...report }, 0);
  }

  /** The message with this id will be a compaction, whose result is not for the consumer. */
  expectCompaction(uuid: string): Promise<CompactMetadata | undefined> {
    this.#compactions ??= new Compactions();
    return this.#compactions.expect(uuid);
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#unread.next();
  }

  /** The agent sent a request: it is working again, so the last result was not the final one. */
  requestArrived(): void {
    this.#results.newWork();
  }

  /** The answer to a new request may be queued behind unread messages. */
  requestSent(): void {
    this.#reading.adjust(this.#unread.bytes);
  }

  /** The agent has ended: a result still held is the last one. */
  flush(): void {
    this.#results.flush();
  }

  /** Delivers nothing more. */
  stop(): void {
    this.#results.stop();
    this.#compactions?.stop();
  }

  /** Delivers the end, or the error once, after what is still unread. */
  end(error?: Error): void {
    this.#unread.end(error);
  }

  /** Ends immediately; unread messages are dropped. */
  cut(error?: Error): void {
    this.#unread.cut(error);
  }
}

/**
 * Adds `final` and `failure` to each result on its way to the consumer. The line after a result (`idle`, or
 * the next turn) says whether more follows, so a result is held briefly for that line, with anything in
 * between queued behind it.
 */
export class ResultDelivery {
  readonly #turns: TurnState;
  readonly #consumer: Pick<UnreadMessages, 'push'>;
  /** The structure that the answers should have, if one was asked for. */
  readonly #schema: Readonly<Record<string, unknown>> | undefined;
  #held: [message: MessageFrame, byteLength: number][] = [];
  #timer: Timer | undefined;
  #resetsAt: number | undefined;
  #interrupted = false;

  constructor(
    turns: TurnState,
    consumer: Pick<UnreadMessages, 'push'>,
    schema?: Readonly<Record<string, unknown>>,
  ) {
    this.#turns = turns;
    this.#consumer = consumer;
    this.#schema = schema;
  }

  receive(message: MessageFrame, byteLength: number): void {
    this.#rememberLimit(message);
    if (isInterruption(message)) this.#interrupted = true;
    if (message.type === 'result') {
      this.#release(false);
      this.#explain(message as unknown as SDKResultMessage);
      this.#hold(message, byteLength);
      return;
    }
    if (message.subtype === 'session_state_changed') this.#release(message.state === 'idle');
    else if (startsWork(message)) this.#release(false);
    // Only for the host: it says when the work is done, which the consumer learns from the end of the loop.
    if (message.sdk_host_only === true) return;
    if (this.#held.length > 0) this.#held.push([message, byteLength]);
    else this.#consumer.push(message as unknown as SDKMessage, byteLength);
  }

  /** The agent sent a request: it is working again. */
  newWork(): void {
    this.#release(false);
  }

  /** The agent has ended: a held result is the last. */
  flush(): void {
    this.#release(true);
  }

  stop(): void {
    clock.clearTimeout(this.#timer);
    this.#held = [];
  }

  #hold(message: MessageFrame, byteLength: number): void {
    this.#held = [[message, byteLength]];
    if (this.#turns.hasBackgroundTasks) this.#release(false);
    else if (this.#turns.reportsState !== true) this.#release(true);
    // If a message is queued, only the next line can tell, however long the next turn takes to begin.
    else if (!this.#turns.mayBeQueued)
      this.#timer = clock.setTimeout(() => this.#release(true), LIMITS.resultSettleMs);
  }

  #release(final: boolean): void {
    if (this.#held.length === 0) return;
    clock.clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = [];
    for (const [message, byteLength] of held) {
      if (message.type === 'result') message.final = final;
      this.#consumer.push(message as unknown as SDKMessage, byteLength);
    }
  }

  #explain(result: SDKResultMessage): void {
    const failure =
      failureOf(result, this.#resetsAt, this.#interrupted) ??
      (this.#schema === undefined ? undefined : checkStructure(result, this.#schema));
    if (failure !== undefined) result.failure = failure;
    this.#interrupted = false;
  }

  #rememberLimit(message: MessageFrame): void {
    if (message.type !== 'rate_limit_event') return;
    const info = message.rate_limit_info;
    if (isRecord(info) && typeof info.resetsAt === 'number') this.#resetsAt = info.resetsAt;
  }
}

function startsWork(message: MessageFrame): boolean {
  if (message.type === 'assistant' || message.type === 'user' || message.type === 'stream_event') return true;
  return message.type === 'system' && message.subtype === 'init';
}

/** The line with which every version reports an interrupted turn; before 2.1.100 nothing else does. */
function isInterruption(message: MessageFrame): boolean {
  if (message.type !== 'user') return false;
  const content = isRecord(message.message) ? message.message.content : undefined;
  if (!Array.isArray(content)) return false;
  return content.some(
    (block) => typeof block?.text === 'string' && block.text.startsWith('[Request interrupted by user'),
  );
}

import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKMessage, SDKResultMessage } from '../../protocol/wire/messages/index.js';
import { failureOf } from '../query/results.js';
import type { TurnState } from './turn-state.js';
import type { UnreadMessages } from './unread-messages.js';

/**
 * Adds `final` and `failure` to each result on its way to the consumer. The line after a result (`idle`, or
 * the next turn) says whether more follows, so a result is held briefly for that line, with anything in
 * between queued behind it.
 */
export class ResultDelivery {
  readonly #turns: TurnState;
  readonly #consumer: Pick<UnreadMessages, 'push'>;
  #held: [message: MessageFrame, byteLength: number][] = [];
  #timer: Timer | undefined;
  #resetsAt: number | undefined;
  #interrupted = false;

  constructor(turns: TurnState, consumer: Pick<UnreadMessages, 'push'>) {
    this.#turns = turns;
    this.#consumer = consumer;
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
    const failure = failureOf(result, this.#resetsAt, this.#interrupted);
    if (failure !== undefined) result.failure = failure;
    this.#interrupted = false;
  }

  #rememberLimit(message: MessageFrame): void {
    if (message.type !== 'rate_limit_event') return;
    const info = message.rate_limit_info as { resetsAt?: unknown } | undefined;
    if (typeof info?.resetsAt === 'number') this.#resetsAt = info.resetsAt;
  }
}

function startsWork(message: MessageFrame): boolean {
  if (message.type === 'assistant' || message.type === 'user' || message.type === 'stream_event') return true;
  return message.type === 'system' && message.subtype === 'init';
}

/** The line with which every version reports an interrupted turn; before 2.1.100 nothing else does. */
function isInterruption(message: MessageFrame): boolean {
  if (message.type !== 'user') return false;
  const { content } = (message.message ?? {}) as { content?: unknown };
  if (!Array.isArray(content)) return false;
  return content.some((block) => String(block?.text).startsWith('[Request interrupted by user'));
}

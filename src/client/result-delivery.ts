import type { MessageFrame } from '../protocol/frames.js';
import { LIMITS } from '../protocol/limits.js';
import type { SDKMessage, SDKResultMessage } from '../protocol/messages/index.js';
import { failureOf } from './results.js';
import type { TurnState } from './turn-state.js';

export interface Delivery {
  deliver(message: SDKMessage, byteLength: number): void;
}

/**
 * Gives each result its `final` and `failure` on the way to the consumer. Whether more follows is said by the line
 * after the result (`idle`, or the next turn), so a result waits for that line, a moment at most; what comes in
 * between waits behind it, in order.
 */
export class ResultDelivery {
  readonly #turns: TurnState;
  readonly #delivery: Delivery;
  #held: [message: MessageFrame, byteLength: number][] = [];
  #timer: NodeJS.Timeout | undefined;
  #resetsAt: number | undefined;
  #interrupted = false;

  constructor(turns: TurnState, delivery: Delivery) {
    this.#turns = turns;
    this.#delivery = delivery;
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
    // For the host alone: it says when the work is done, which the consumer sees by the end of the loop.
    if (message.sdk_host_only === true) return;
    if (this.#held.length > 0) this.#held.push([message, byteLength]);
    else this.#delivery.deliver(message as unknown as SDKMessage, byteLength);
  }

  /** The agent asks for something: it is at work again. */
  newWork(): void {
    this.#release(false);
  }

  /** The agent has left: what is held is the last. */
  flush(): void {
    this.#release(true);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#held = [];
  }

  #hold(message: MessageFrame, byteLength: number): void {
    this.#held = [[message, byteLength]];
    if (this.#turns.hasBackgroundTasks) this.#release(false);
    else if (this.#turns.reportsState !== true) this.#release(true);
    // With a message in the queue only the next line can tell, however long the next turn takes to begin.
    else if (!this.#turns.mayBeQueued)
      this.#timer = setTimeout(() => this.#release(true), LIMITS.resultSettleMs);
  }

  #release(final: boolean): void {
    if (this.#held.length === 0) return;
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = [];
    for (const [message, byteLength] of held) {
      if (message.type === 'result') message.final = final;
      this.#delivery.deliver(message as unknown as SDKMessage, byteLength);
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

/** The line by which every version tells that the turn was interrupted; before 2.1.100 nothing else does. */
function isInterruption(message: MessageFrame): boolean {
  if (message.type !== 'user') return false;
  const { content } = (message.message ?? {}) as { content?: unknown };
  if (!Array.isArray(content)) return false;
  return content.some((block) => String(block?.text).startsWith('[Request interrupted by user'));
}

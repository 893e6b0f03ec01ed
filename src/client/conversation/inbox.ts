import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKMessage, SDKResultMessage } from '../../protocol/wire/messages/index.js';
import type { Callbacks } from '../callbacks/callbacks.js';
import { ReadingPolicy } from './reading-policy.js';
import { ResultDelivery } from './result-delivery.js';
import type { TurnState } from './turn-state.js';
import { UnreadMessages } from './unread-messages.js';

/** The agent's messages on their way to the consumer. */
export class Inbox {
  /** The id under which the agent stores this conversation, once known. */
  sessionId: string | undefined;
  lastResult: SDKResultMessage | undefined;
  readonly #turns: TurnState;
  readonly #reading: ReadingPolicy;
  readonly #unread: UnreadMessages;
  readonly #results: ResultDelivery;

  constructor(
    turns: TurnState,
    transport: Transport,
    channel: Pick<ControlChannel, 'openRequests'>,
    callbacks: Pick<Callbacks, 'any'>,
    maxUnreadBytes: number,
  ) {
    this.#turns = turns;
    this.#reading = new ReadingPolicy(transport, channel, callbacks, maxUnreadBytes);
    this.#unread = new UnreadMessages(this.#reading);
    this.#results = new ResultDelivery(turns, this.#unread);
  }

  receive(message: MessageFrame, byteLength: number): void {
    if (typeof message.session_id === 'string' && message.session_id !== '') {
      this.sessionId = message.session_id;
    }
    this.#turns.observe(message);
    if (message.type === 'result') this.lastResult = message as unknown as SDKResultMessage;
    this.#results.receive(message, byteLength);
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

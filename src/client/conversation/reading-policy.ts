import { emitWarning } from '../../protocol/base/host-process.js';
import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { Callbacks } from '../callbacks/callbacks.js';

/**
 * A slow consumer may hold up the agent, but messages and control traffic share one pipe. So reading pauses
 * above the limit only while nothing else in the stream can be needed: there are no callbacks and no open
 * requests. Otherwise the backlog grows, and a warning says so once.
 */
export class ReadingPolicy {
  readonly #transport: Pick<Transport, 'pause' | 'resume'>;
  readonly #channel: Pick<ControlChannel, 'openRequests'>;
  readonly #callbacks: Pick<Callbacks, 'any'>;
  readonly #maxUnreadBytes: number;
  #paused = false;
  #warned = false;

  constructor(
    transport: Pick<Transport, 'pause' | 'resume'>,
    channel: Pick<ControlChannel, 'openRequests'>,
    callbacks: Pick<Callbacks, 'any'>,
    maxUnreadBytes: number,
  ) {
    this.#transport = transport;
    this.#channel = channel;
    this.#callbacks = callbacks;
    this.#maxUnreadBytes = maxUnreadBytes;
  }

  /** Called whenever the backlog or the open requests change. */
  adjust(unreadBytes: number): void {
    if (this.#paused) {
      if (unreadBytes > this.#maxUnreadBytes / 2 && this.#channel.openRequests === 0) return;
      this.#paused = false;
      this.#transport.resume();
    } else if (unreadBytes > this.#maxUnreadBytes) {
      if (this.#callbacks.any) this.#warn(unreadBytes);
      else if (this.#channel.openRequests === 0) {
        this.#paused = true;
        this.#transport.pause();
      }
    }
  }

  #warn(unreadBytes: number): void {
    if (this.#warned) return;
    this.#warned = true;
    emitWarning(
      `A query has ${unreadBytes} bytes of unread messages. Read them, or close the query; ` +
        'reading from the agent cannot pause while tools, hooks or permissions may be called.',
      { code: 'TENON_UNREAD_MESSAGES' },
    );
  }
}

import { LIMITS } from '../../protocol/base/limits.js';

interface KeptEvent {
  readonly streamId: string;
  readonly message: object;
  readonly bytes: number;
}

/**
 * The latest messages to one HTTP client, in case its connection breaks: it comes back with the id of the last one that
 * it saw. What is no longer kept is refused, never skipped.
 */
export class ReplayStore<Message extends object> {
  readonly #events = new Map<string, KeptEvent>();
  #bytes = 0;
  #next = 1;

  async storeEvent(streamId: string, message: Message): Promise<string> {
    const id = String(this.#next++);
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { streamId, message, bytes });
    this.#bytes += bytes;
    for (const [oldest, event] of this.#events) {
      if (this.#events.size <= LIMITS.replayMessages && this.#bytes <= LIMITS.replayBytes) break;
      this.#events.delete(oldest);
      this.#bytes -= event.bytes;
    }
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.streamId;
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send: (id: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const streamId = this.#events.get(lastId)?.streamId ?? '';
    for (const [id, event] of [...this.#events]) {
      if (
        event.streamId === streamId &&
        Number(id) > Number(lastId) &&
        Object.keys(event.message).length > 0
      ) {
        await send(id, event.message as Message);
      }
    }
    return streamId;
  }
}

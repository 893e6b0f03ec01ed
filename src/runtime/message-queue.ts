import type { UserContentBlock } from '../protocol/content.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { Lines } from './lines.js';
import { contentOf } from './user-message.js';

/** What the host has said and the model has not read yet. The host hears what becomes of messages that have an id. */
export class MessageQueue {
  readonly #lines: Lines;
  readonly #waiting: MessageFrame[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get ids(): string[] {
    return this.#waiting.map(({ uuid }) => uuid).filter((id) => typeof id === 'string');
  }

  push(message: MessageFrame): void {
    this.#waiting.push(message);
  }

  /** Once the conversation has its id, which lines carry. */
  announce(): void {
    for (const message of this.#waiting) this.#lines.lifecycle(message, 'queued');
  }

  /** The next one, for a turn of its own. */
  next(): MessageFrame | undefined {
    const message = this.#waiting.shift();
    if (message !== undefined) this.#lines.lifecycle(message, 'started');
    return message;
  }

  /** All of them, for the turn that runs. */
  takeAll(): UserContentBlock[] {
    const taken = this.#waiting.splice(0);
    for (const message of taken) {
      this.#lines.lifecycle(message, 'started');
      this.#lines.lifecycle(message, 'completed');
      if (typeof message.uuid === 'string') this.#lines.answered.push(message.uuid);
    }
    return taken.flatMap(contentOf);
  }

  /** Takes back a message; false when it does not wait any more. */
  cancel(uuid: string): boolean {
    const index = this.#waiting.findIndex((message) => message.uuid === uuid);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}

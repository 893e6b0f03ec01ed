import type { MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { Lines } from './lines.js';

/**
 * Messages from the host that the model has not read yet. The host is told the progress of those with an
 * id.
 */
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

  /** Called once the session id, which every line carries, is known. */
  announce(): void {
    for (const message of this.#waiting) this.#lines.lifecycle(message, 'queued');
  }

  /** Takes the next message, for its own turn. */
  next(): MessageFrame | undefined {
    const message = this.#waiting.shift();
    if (message !== undefined) this.#lines.lifecycle(message, 'started');
    return message;
  }

  /** Takes all messages, for the running turn. */
  takeAll(): UserContentBlock[] {
    const taken = this.#waiting.splice(0);
    for (const message of taken) {
      this.#lines.lifecycle(message, 'started');
      this.#lines.lifecycle(message, 'completed');
      if (typeof message.uuid === 'string') this.#lines.answered.push(message.uuid);
    }
    return taken.flatMap(contentOf);
  }

  /** Withdraws a message; false if it is no longer queued. */
  cancel(uuid: string): boolean {
    const index = this.#waiting.findIndex((message) => message.uuid === uuid);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}

/** The content of a message as blocks. */
export function contentOf(message: MessageFrame): UserContentBlock[] {
  const { content } = (message.message ?? {}) as MessageParam;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : ((content ?? []) as UserContentBlock[]);
}

/** The text of the content. */
export function textOf(content: readonly UserContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

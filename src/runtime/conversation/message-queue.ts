import { isRecord, kindOf } from '../../protocol/base/kinds.js';
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

  /** Those that the host has sent, without the news of tasks. */
  get fromHost(): number {
    return this.#waiting.filter(isFromHost).length;
  }

  /** The next message tells of a task that has ended. */
  get isNewsNext(): boolean {
    const [next] = this.#waiting;
    return next !== undefined && !isFromHost(next);
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

  /**
   * Takes the messages for the running turn: all, up to one that needs a turn of its own, such as a command, or one
   * that cannot be read, whose turn will say so.
   */
  takeAll(isCommand: (content: readonly UserContentBlock[]) => boolean = () => false): UserContentBlock[] {
    const own = this.#waiting.findIndex(
      (message) =>
        contentProblem(message) !== undefined || isForLater(message) || isCommand(contentOf(message)),
    );
    const taken = this.#waiting.splice(0, own === -1 ? this.#waiting.length : own);
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

  /** Withdraws all messages of the host. What has become of tasks stays to be told. */
  withdraw(): void {
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((message) => !isFromHost(message)));
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}

/** News that must not interrupt. */
function isForLater(message: MessageFrame): boolean {
  return message.priority === 'later' && !isFromHost(message);
}

function isFromHost({ origin }: MessageFrame): boolean {
  return (origin as { kind?: unknown } | undefined)?.kind !== 'task-notification';
}

/** The content of a message as blocks. Throws for what no model could read: it would stay in the transcript. */
export function contentOf(message: MessageFrame): UserContentBlock[] {
  const problem = contentProblem(message);
  if (problem !== undefined) throw new Error(problem);
  const { content } = (message.message ?? {}) as MessageParam;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : ((content ?? []) as UserContentBlock[]);
}

function contentProblem({ message }: MessageFrame): string | undefined {
  if (message == null) return undefined;
  if (!isRecord(message)) return `A user message needs \`message\`, an object; it is ${kindOf(message)}.`;
  const { content } = message;
  if (content == null || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return `\`message.content\` must be a string or a list of content blocks; it is ${kindOf(content)}.`;
  }
  const index = content.findIndex((block) => !isBlock(block));
  return index === -1 ? undefined : `\`message.content[${index}]\` is not a content block.`;
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block.type !== 'string') return false;
  return block.type !== 'text' || typeof block.text === 'string';
}

/** The text of the content. */
export function textOf(content: readonly UserContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** The instructions of the command `/compact`; undefined if the prompt is something else. */
export function compactCommandIn([block, ...more]: readonly UserContentBlock[]): string | undefined {
  if (block?.type !== 'text' || more.length > 0) return undefined;
  return /^\s*\/compact(?<words>\s[\s\S]*)?$/
    .exec(block.text)
    ?.slice(1)
    .map((words = '') => words.trim())[0];
}

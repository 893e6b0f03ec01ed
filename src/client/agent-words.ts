import { messageOf } from '../protocol/errors.js';
import { StderrTail } from '../protocol/stderr-tail.js';
import type { ConversationSettings } from './conversation-settings.js';

/** What an agent says outside of the protocol: on stderr, and lines on stdout that are no messages. */
export class AgentWords {
  readonly #settings: Pick<ConversationSettings, 'stderr' | 'debug' | 'hide'>;
  readonly #tail = new StderrTail();

  constructor(settings: Pick<ConversationSettings, 'stderr' | 'debug' | 'hide'>) {
    this.#settings = settings;
  }

  /** The last of it, for whoever has to explain its end. */
  get last(): string {
    return this.#settings.hide(this.#tail.text);
  }

  noise(line: string): void {
    this.#settings.debug('noise', 'a line on stdout is no message', line);
    this.#tell(`${line}\n`);
  }

  stderr(text: string): void {
    this.#tail.push(text);
    this.#tell(text);
  }

  #tell(text: string): void {
    try {
      this.#settings.stderr?.(this.#settings.hide(text));
    } catch (error) {
      this.#settings.debug('stderr', `the stderr callback threw: ${messageOf(error)}`);
    }
  }
}

import { clock, type Timer } from '../../protocol/base/clock.js';
import { messageOf, type TenonError } from '../../protocol/base/errors.js';
import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import { StderrTail } from '../../protocol/transport/pipes.js';
import type { Launch } from '../launch/launch.js';
import { type FailureContext, startupTimeout } from '../launch/process-failure.js';
import type { ConversationSettings } from './conversation-settings.js';

/**
 * Watches an agent outside the protocol: whether it sends anything at all, and what it writes besides
 * messages.
 */
export class AgentWatch {
  readonly #launch: Launch;
  readonly #channel: Pick<ControlChannel, 'lastSubtype'>;
  readonly #settings: ConversationSettings;
  readonly #tail = new StderrTail();
  #timer: Timer | undefined;

  constructor(launch: Launch, channel: Pick<ControlChannel, 'lastSubtype'>, settings: ConversationSettings) {
    this.#launch = launch;
    this.#channel = channel;
    this.#settings = settings;
  }

  /** Waits for the first frame, up to `startupTimeoutMs`. */
  start(tooLate: (error: TenonError) => void): void {
    const { startupTimeoutMs } = this.#settings;
    if (startupTimeoutMs <= 0) return;
    this.#timer = clock.setTimeout(
      () => tooLate(startupTimeout(startupTimeoutMs, this.explain())),
      startupTimeoutMs,
    );
  }

  frameArrived(): void {
    if (this.#timer !== undefined) this.stop();
  }

  stop(): void {
    clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  noise(line: string): void {
    this.#settings.debug('noise', 'a line on stdout is not a message', line);
    this.#report(`${line}\n`);
  }

  stderr(text: string): void {
    this.#tail.push(text);
    this.#report(text);
  }

  /** What an error about this agent should include. */
  explain(): FailureContext {
    const { agent, argv, cliVersion, interpreter } = this.#launch;
    const stderrTail = this.#settings.hide(this.#tail.text);
    const lastControlRequest = this.#channel.lastSubtype;
    return { agent, argv, cliVersion, interpreter, stderrTail, lastControlRequest };
  }

  #report(text: string): void {
    try {
      this.#settings.stderr?.(this.#settings.hide(text));
    } catch (error) {
      this.#settings.debug('stderr', `the stderr callback threw: ${messageOf(error)}`);
    }
  }
}

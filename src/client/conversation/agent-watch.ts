import { clock, type Timer } from '../../protocol/base/clock.js';
import { messageOf, type TenonError } from '../../protocol/base/errors.js';
import type { HiddenStream } from '../../protocol/base/secret-values.js';
import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import { StderrTail } from '../../protocol/transport/pipes.js';
import type { DroppedFrame } from '../../protocol/transport/transport.js';
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
  readonly #stderr: HiddenStream;
  #timer: Timer | undefined;

  constructor(launch: Launch, channel: Pick<ControlChannel, 'lastSubtype'>, settings: ConversationSettings) {
    this.#launch = launch;
    this.#channel = channel;
    this.#settings = settings;
    this.#stderr = settings.secrets.stream();
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
    this.#report(this.#settings.secrets.hide(`${line}\n`));
  }

  dropped({ problem, head, ...details }: DroppedFrame): void {
    this.#settings.debug('noise', problem, { ...details, head });
    this.#report(`[${problem}] ${head}\n`);
  }

  stderr(text: string): void {
    this.#tail.push(text);
    this.#report(this.#stderr.push(text));
  }

  /** Nothing more comes from the agent. */
  ended(): void {
    this.#report(this.#stderr.end());
  }

  /** What an error about this agent should include. */
  explain(): FailureContext {
    const { agent, argv, cliVersion, interpreter } = this.#launch;
    const stderrTail = this.#settings.secrets.hide(this.#tail.text);
    const lastControlRequest = this.#channel.lastSubtype;
    return { agent, argv, cliVersion, interpreter, stderrTail, lastControlRequest };
  }

  #report(text: string): void {
    if (text === '') return;
    try {
      this.#settings.stderr?.(text);
    } catch (error) {
      this.#settings.debug('stderr', `the stderr callback threw: ${messageOf(error)}`);
    }
  }
}

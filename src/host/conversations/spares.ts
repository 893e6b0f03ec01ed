import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { HostProblem } from '../host.js';
import type { Agent } from './agent.js';
import type { ProcessRoom } from './process-room.js';

interface Spare {
  readonly agent: Agent;
  readonly retire: Timer;
}

export interface SpareParts {
  readonly count: number;
  readonly room: ProcessRoom;
  /** Throws if the options are wrong. */
  start(): Agent;
  end(agent: Agent): void;
  problem(problem: HostProblem): void;
}

/** Processes of the CLI that have started before their conversations begin. One that goes on needs a process of its own. */
export class Spares {
  readonly #parts: SpareParts;
  readonly #waiting: Spare[] = [];
  #retry: Timer | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(parts: SpareParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Starts as many as are missing, if there is room for them: nothing else ends for a spare. */
  fill(): void {
    this.#forgetDead();
    const { count, room, start } = this.#parts;
    while (!this.#isClosed && this.#retry === undefined && this.#waiting.length < count) {
      if (!room.hasRoom) return;
      const spare: Spare = {
        agent: start(),
        // What it has read at its start has gone stale by then.
        retire: unref(clock.setTimeout(() => this.#end(spare), LIMITS.warmAgeMs)),
      };
      this.#waiting.push(spare);
    }
  }

  take(): Agent | undefined {
    this.#forgetDead();
    const [spare] = this.#waiting;
    const agent = spare === undefined ? undefined : this.#remove(spare);
    if (agent !== undefined) this.#failures = 0;
    // The next one starts when the conversation has what it needs of the machine.
    if (agent !== undefined) this.#fillIn(LIMITS.warmRetryMs);
    return agent;
  }

  /** Makes room. False: there is none. */
  endOne(): boolean {
    const spare = this.#waiting.at(-1);
    if (spare === undefined) return false;
    this.#end(spare);
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clock.clearTimeout(this.#retry);
    for (const { retire } of this.#waiting) clock.clearTimeout(retire);
  }

  #end(spare: Spare): void {
    const agent = this.#remove(spare);
    if (agent !== undefined) this.#parts.end(agent);
  }

  #remove(spare: Spare): Agent | undefined {
    const index = this.#waiting.indexOf(spare);
    if (index === -1) return undefined;
    this.#waiting.splice(index, 1);
    clock.clearTimeout(spare.retire);
    return spare.agent;
  }

  /** One that has died while it waited is not started again at once: the next would die too. */
  #forgetDead(): void {
    const dead = this.#waiting.filter(({ agent }) => agent.isOver);
    for (const spare of dead) this.#remove(spare);
    if (dead.length === 0 || this.#isClosed) return;
    this.#failed(new TenonError('EXITED', 'A process that waited for a conversation has ended by itself.'));
  }

  #failed(error: unknown): void {
    if (this.#failures === 0) this.#parts.problem({ during: 'the start of a process in advance', error });
    const delay = Math.min(LIMITS.warmRetryMs * 2 ** this.#failures, LIMITS.warmMaxRetryMs);
    this.#failures += 1;
    this.#fillIn(delay);
  }

  #fillIn(milliseconds: number): void {
    clock.clearTimeout(this.#retry);
    this.#retry = unref(
      clock.setTimeout(() => {
        this.#retry = undefined;
        try {
          this.fill();
        } catch (error) {
          this.#failed(error);
        }
      }, milliseconds),
    );
  }
}

/** Programs on one database that are killed and started anew, and one that lives as long as the soak. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Program, ProgramOptions } from '../../faults/support/program.js';
import type { Random } from './random.js';

export type Start = (options: Partial<ProgramOptions>) => Promise<Program>;

/** Programs may be gone, and the database away: what is asked of them is asked again. */
const PAUSE_MS = 20;

export class Fleet {
  /** Never killed, so that its memory can be looked at. */
  readonly survivor: Program;
  /** What was done to programs and to the database. */
  readonly done: Record<string, number> = {};
  readonly #start: Start;
  #programs: Program[];
  readonly #all: Program[];

  private constructor(start: Start, survivor: Program) {
    this.#start = start;
    this.survivor = survivor;
    this.#programs = [survivor];
    this.#all = [survivor];
  }

  static async open(start: Start, count: number): Promise<Fleet> {
    const fleet = new Fleet(start, await start({ name: 'survivor' }));
    for (let index = 1; index < count; index += 1) await fleet.#add();
    return fleet;
  }

  /** What has concerned no caller, in all programs that there were. */
  get problems(): unknown[] {
    return this.#all.flatMap(({ said }) => said.filter((line) => line.said === 'problem'));
  }

  async #add(): Promise<void> {
    const program = await this.#start({ name: `program-${this.#all.length}` });
    this.#programs.push(program);
    this.#all.push(program);
  }

  /** Asks any program, until one has answered. */
  async ask<Answer>(random: Random, question: (program: Program) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await question(random.of(this.#programs));
      } catch (error) {
        const { code, isTransient } = error as { code?: string; isTransient?: boolean };
        const isGone = code === undefined || code === 'CLOSED' || code === 'QUEUE_FULL';
        if (!isGone && isTransient !== true) throw error;
        await wait(PAUSE_MS);
      }
    }
  }

  /** Something happens to one of the programs, and it is replaced. */
  async strike(random: Random, how: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP', stoppedMs: number): Promise<void> {
    const mortal = this.#programs.filter((program) => program !== this.survivor);
    const victim = random.of(mortal);
    this.note(how);
    this.#programs = this.#programs.filter((program) => program !== victim);
    if (how === 'SIGSTOP') {
      victim.process.kill('SIGSTOP');
      await wait(stoppedMs);
      victim.process.kill('SIGCONT');
      this.#programs.push(victim);
      return;
    }
    await victim.kill(how);
    await this.#add();
  }

  note(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  /** Tells all of them to end; how they did. */
  async end(): Promise<(number | NodeJS.Signals)[]> {
    for (const program of this.#programs) program.process.kill('SIGTERM');
    return Promise.all(this.#programs.map(({ exited }) => exited));
  }
}

import { TenonError } from '../../protocol/base/errors.js';
import type { Journal, JournaledCall, JournalState } from '../../protocol/wire/journal.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';

/** The journal of one agent, which also knows what is running now. */
export class HostedJournal implements Journal {
  /** A record that could not be made: the turn ends with it, and goes on elsewhere. */
  failure: unknown;
  /** Calls that have begun and not ended, by their ids. */
  readonly running: Map<string, JournaledCall> = new Map();
  /** Called when a call has ended. */
  onEnd: () => void = () => {};
  readonly #storage: HostStorage;
  #bound: Journal | undefined;

  /** Without a lease nothing can be recorded until it is bound to one. */
  constructor(storage: HostStorage, lease?: Lease) {
    this.#storage = storage;
    if (lease !== undefined) this.bind(lease);
  }

  bind(lease: Lease): void {
    this.#bound = this.#storage.journal(lease);
    this.failure = undefined;
    this.running.clear();
  }

  look(call: JournaledCall): Promise<JournalState> {
    return this.#noting(this.#journal.look(call));
  }

  async begin(call: JournaledCall): Promise<JournalState> {
    const known = await this.#noting(this.#journal.begin(call));
    const isMade = known.state === 'new' || (known.state === 'uncertain' && call.isRepeatable === true);
    if (isMade) this.running.set(call.toolUseId, call);
    return known;
  }

  async end(call: JournaledCall, result: unknown): Promise<void> {
    await this.#noting(this.#journal.end(call, result));
    this.running.delete(call.toolUseId);
    this.onEnd();
  }

  /** Runs, though nothing is recorded of it. */
  started(call: JournaledCall): void {
    this.running.set(call.toolUseId, call);
  }

  /** Does not run any more, or not yet. */
  ended(id: string): void {
    if (this.running.delete(id)) this.onEnd();
  }

  get #journal(): Journal {
    if (this.#bound !== undefined) return this.#bound;
    throw new TenonError('CLOSED', 'The agent has no conversation yet: nothing can be recorded.');
  }

  async #noting<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

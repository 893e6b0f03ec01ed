import type { Options } from '../../options/options.js';
import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import type { HostSettings } from '../host-options.js';
import { keyOf } from '../session-key.js';
import type { HostCounts } from '../stats.js';
import type { Lease, SessionRef } from '../storage/port/conversation.js';
import { Agent, type OpenQuery } from './agent.js';
import { isCli } from './agent-options.js';
import { HostedJournal } from './hosted-journal.js';
import type { HostedStore } from './hosted-store.js';

interface IdleAgent {
  readonly agent: Agent;
  readonly since: number;
}

/** The agents in memory: those at work, and those that are idle and soon leave. */
export class Agents {
  readonly #settings: HostSettings;
  readonly #open: OpenQuery;
  readonly #counts: HostCounts;
  /** The longest idle first. */
  readonly #idle = new Map<string, IdleAgent>();
  readonly #all = new Set<Agent>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(settings: HostSettings, open: OpenQuery, counts: HostCounts) {
    this.#settings = settings;
    this.#open = open;
    this.#counts = counts;
  }

  get size(): number {
    return this.#all.size;
  }

  get processes(): number {
    return [...this.#all].filter(({ isProcess }) => isProcess).length;
  }

  /** The agent in memory, if nobody else has worked on the conversation since. */
  take(lease: Lease): Agent | undefined {
    const key = keyOf(lease);
    const idle = this.#idle.get(key);
    if (idle === undefined) return undefined;
    this.#idle.delete(key);
    if (idle.agent.fence === lease.previous && !idle.agent.isOver) return idle.agent;
    void this.#end(idle.agent);
    return undefined;
  }

  async open(lease: Lease, store: HostedStore, options: Options, resume: string | undefined): Promise<Agent> {
    const { storage, partialMessages } = this.#settings;
    if (isCli(options)) await this.#makeRoom();
    const agent = new Agent({
      open: this.#open,
      options,
      store,
      journal: new HostedJournal(storage, lease),
      resume,
      partialMessages,
      onEnd: () => this.#all.delete(agent),
    });
    this.#all.add(agent);
    return agent;
  }

  /** Its turn is over: it stays for a while. */
  keep(lease: Lease, agent: Agent): void {
    agent.rest();
    const { keep, evictAfterMs } = this.#settings;
    if (this.#isClosed || keep === 0 || evictAfterMs === 0) {
      void this.#end(agent);
      return;
    }
    this.#idle.set(keyOf(lease), { agent, since: clock.monotonic() });
    if (this.#idle.size > keep) this.#evictOldest();
    this.#timer ??= this.#wakeIn(evictAfterMs);
  }

  /** The conversation is no longer there. */
  async forget(ref: SessionRef): Promise<void> {
    const idle = this.#idle.get(keyOf(ref));
    this.#idle.delete(keyOf(ref));
    if (idle !== undefined) await this.#end(idle.agent);
  }

  /** Resolves when all have ended, those at work included. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clock.clearTimeout(this.#timer);
    this.#idle.clear();
    await Promise.all([...this.#all].map((agent) => this.#end(agent)));
  }

  /** There are never more processes than conversations may run. */
  async #makeRoom(): Promise<void> {
    while (this.processes >= this.#settings.running) {
      const [key, idle] = [...this.#idle].find(([, { agent }]) => agent.isProcess) ?? [];
      if (key === undefined || idle === undefined) return;
      this.#idle.delete(key);
      this.#counts.evicted += 1;
      await this.#end(idle.agent);
    }
  }

  #evictOldest(): void {
    const [key, idle] = this.#idle.entries().next().value ?? [];
    if (key === undefined || idle === undefined) return;
    this.#idle.delete(key);
    this.#counts.evicted += 1;
    void this.#end(idle.agent);
  }

  #wakeIn(milliseconds: number): Timer {
    return unref(clock.setTimeout(() => this.#evict(), milliseconds));
  }

  /** One timer for all of them. */
  #evict(): void {
    this.#timer = undefined;
    const { evictAfterMs } = this.#settings;
    const now = clock.monotonic();
    for (const { since } of this.#idle.values()) {
      const left = since + evictAfterMs - now;
      if (left > 0) {
        this.#timer = this.#wakeIn(left);
        return;
      }
      this.#evictOldest();
    }
  }

  async #end(agent: Agent): Promise<void> {
    try {
      await agent.close();
    } catch (error) {
      this.#settings.problem({ during: 'the end of an agent', error });
    }
    this.#all.delete(agent);
  }
}

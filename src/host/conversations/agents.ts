import type { Options } from '../../options/options.js';
import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import type { HostSettings } from '../host-options.js';
import { keyOf } from '../session-key.js';
import type { HostCounts } from '../stats.js';
import type { Lease, SessionRef } from '../storage/port/conversation.js';
import { Agent, type AgentParts, type OpenQuery } from './agent.js';
import { isCli } from './agent-options.js';
import { HostedJournal } from './hosted-journal.js';
import { HostedStore } from './hosted-store.js';
import { ProcessRoom } from './process-room.js';
import { Spares } from './spares.js';

/** How an agent begins. */
export type AgentStart = Pick<AgentParts, 'resume' | 'asked'>;

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
  /** Agents that were idle and are about to be gone, by conversation. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #room: ProcessRoom;
  readonly #spares: Spares | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(settings: HostSettings, open: OpenQuery, counts: HostCounts) {
    const { running, warm, common } = settings;
    this.#settings = settings;
    this.#open = open;
    this.#counts = counts;
    this.#room = new ProcessRoom(running, () => this.#endOne());
    if (warm > 0 && common !== undefined) {
      this.#spares = new Spares({
        count: warm,
        room: this.#room,
        start: () => this.#newSpare(common),
        end: (agent) => void this.#end(agent),
        problem: settings.problem,
      });
      this.#spares.fill();
    }
  }

  /** Conversations in memory. */
  get size(): number {
    return this.#all.size - (this.#spares?.size ?? 0);
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
    void this.#leave(key, idle.agent);
    return undefined;
  }

  async open(lease: Lease, store: HostedStore, options: Options, start: AgentStart): Promise<Agent> {
    // Two processes must not have one conversation, even if one of them is about to end.
    await this.#leaving.get(keyOf(lease));
    const spare = start.resume === undefined ? this.#spares?.take() : undefined;
    if (spare !== undefined) return spare;
    const isProcess = isCli(options);
    if (isProcess) await this.#room.enter();
    const journal = new HostedJournal(this.#settings.storage, lease);
    return this.#start({ options, store, journal, ...start }, () => {
      if (isProcess) this.#room.leave();
    });
  }

  /** Its turn is over: it stays for a while. */
  keep(lease: Lease, agent: Agent): void {
    agent.rest();
    agent.fence = lease.fence;
    const { keep, evictAfterMs } = this.#settings;
    if (this.#isClosed || keep === 0 || evictAfterMs === 0) {
      void this.#leave(keyOf(lease), agent);
      return;
    }
    this.#idle.set(keyOf(lease), { agent, since: clock.monotonic() });
    this.#room.changed();
    if (this.#idle.size > keep) void this.#evictOldest();
    this.#timer ??= this.#wakeIn(evictAfterMs);
  }

  /** The conversation is no longer there. */
  async forget(ref: SessionRef): Promise<void> {
    const idle = this.#idle.get(keyOf(ref));
    this.#idle.delete(keyOf(ref));
    if (idle !== undefined) await this.#leave(keyOf(ref), idle.agent);
  }

  /** Resolves when all have ended, those at work included. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clock.clearTimeout(this.#timer);
    this.#spares?.close();
    this.#idle.clear();
    await Promise.all([...this.#all].map((agent) => this.#end(agent)));
  }

  #start(own: Omit<AgentParts, 'open' | 'partialMessages' | 'onEnd'>, over: () => void): Agent {
    const { partialMessages } = this.#settings;
    const onEnd = (): void => {
      this.#all.delete(agent);
      over();
      this.#spares?.fill();
    };
    const agent = this.#made({ open: this.#open, partialMessages, onEnd, ...own }, over);
    this.#all.add(agent);
    return agent;
  }

  /** Wrong options start nothing, and take no place. */
  #made(parts: AgentParts, over: () => void): Agent {
    try {
      return new Agent(parts);
    } catch (error) {
      over();
      throw error;
    }
  }

  /** A process without a conversation: its store and its journal are bound to the one that it gets. */
  #newSpare(options: Options): Agent {
    const { storage } = this.#settings;
    this.#room.take();
    const [store, journal] = [new HostedStore(storage), new HostedJournal(storage)];
    const own = { options, store, journal, resume: undefined, asked: new Set<string>() };
    return this.#start(own, () => this.#room.leave());
  }

  /** Makes room for a process. False: all of them are at work. */
  #endOne(): boolean {
    const [key, idle] = [...this.#idle].find(([, { agent }]) => agent.isProcess) ?? [];
    if (key === undefined || idle === undefined) return this.#spares?.endOne() ?? false;
    this.#evict(key, idle);
    return true;
  }

  #evictOldest(): void {
    const [key, idle] = this.#idle.entries().next().value ?? [];
    if (key !== undefined && idle !== undefined) this.#evict(key, idle);
  }

  #evict(key: string, { agent }: IdleAgent): void {
    this.#idle.delete(key);
    this.#counts.evicted += 1;
    void this.#leave(key, agent);
  }

  #wakeIn(milliseconds: number): Timer {
    return unref(clock.setTimeout(() => this.#evictIdle(), milliseconds));
  }

  /** One timer for all of them. */
  #evictIdle(): void {
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

  async #leave(key: string, agent: Agent): Promise<void> {
    const gone = this.#end(agent);
    this.#leaving.set(key, gone);
    await gone;
    if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
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

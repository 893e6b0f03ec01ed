import { clock } from '../../../protocol/base/clock.js';
import { TenonError } from '../../../protocol/base/errors.js';
import { InMemorySessionStore } from '../../../sessions/memory-session-store.js';
import { checkedRef } from '../checked.js';
import { closedError, LeaseLostError, wakeError } from '../errors.js';
import type { Lease, SessionRef, SessionState, Wake } from '../port/conversation.js';
import type { InboxKind, Receipt } from '../port/inbox.js';
import type { Topic } from '../port/storage.js';
import { keyOf, Watchers } from '../watchers.js';

export interface Entry extends Receipt {
  readonly kind: InboxKind;
  /** JSON, as everything that is kept: nobody else has the object. */
  readonly body: string;
  readonly at: number;
  readonly idempotencyKey: string | undefined;
  acknowledged: number | undefined;
}

export interface Question {
  readonly conversation: Conversation;
  readonly id: string;
  readonly key: string;
  readonly question: string;
  readonly since: number;
  state: 'pending' | 'answered' | 'gone';
  answer: string | undefined;
  settled: number | undefined;
}

export interface Conversation {
  readonly ref: SessionRef;
  readonly created: number;
  readonly transcript: InMemorySessionStore;
  readonly journal: Map<string, { result: string | undefined; at: number }>;
  readonly questions: Map<string, Question>;
  /** What nobody has acknowledged, and what was sent with a key. */
  readonly inbox: Map<number, Entry>;
  readonly keys: Map<string, Entry>;
  readonly events: { id: number; at: number; message: string }[];
  state: SessionState;
  changed: number;
  /** By the clock that never goes backwards. */
  readyAt: number;
  leaseUntil: number;
  reason: string | undefined;
  owner: string | undefined;
  fence: number;
  crashes: number;
  /** How many of the inbox are prompts. */
  prompts: number;
  lastNumber: number;
  lastEvent: number;
}

/** The conversations of a storage in memory, with those to run and those that run at hand. */
export class Conversations {
  readonly watchers: Watchers = new Watchers();
  readonly #all = new Map<string, Map<string, Conversation>>();
  /** By tenant, in the order in which they were queued. */
  readonly queued: Map<string, Set<Conversation>> = new Map();
  readonly running: Set<Conversation> = new Set();
  /** By tenant, the fence of the last one that was taken. */
  readonly served: Map<string, number> = new Map();
  /** By their ids, the oldest first. */
  readonly questions: Map<string, Question> = new Map();
  /** Prompts that nobody has acknowledged: of each tenant, and of everybody. */
  readonly prompts: Map<string, number> = new Map();
  allPrompts = 0;
  #fence = 0;
  #isClosed = false;

  checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  close(): void {
    this.#isClosed = true;
    this.watchers.clear();
  }

  get({ tenant, session }: SessionRef): Conversation | undefined {
    return this.#all.get(tenant)?.get(session);
  }

  of(tenant?: string): Iterable<Conversation> {
    if (tenant !== undefined) return this.#all.get(tenant)?.values() ?? [];
    return [...this.#all.values()].flatMap((each) => [...each.values()]);
  }

  /** Uses a conversation that need not be there. If that fails, one that was created for it is gone again. */
  async orForget<Result>(
    given: SessionRef,
    use: (conversation: Conversation) => Promise<Result>,
  ): Promise<Result> {
    const ref = checkedRef(given);
    const known = this.get(ref);
    if (known !== undefined) return use(known);
    const made = newConversation(ref);
    const ofTenant = this.#all.get(ref.tenant) ?? new Map<string, Conversation>();
    this.#all.set(ref.tenant, ofTenant.set(ref.session, made));
    try {
      return await use(made);
    } catch (error) {
      if (made.state === 'idle' && made.inbox.size === 0) this.remove(made);
      throw error;
    }
  }

  remove(conversation: Conversation): void {
    const { tenant, session } = conversation.ref;
    this.setState(conversation, 'idle');
    this.countPrompts(conversation, -conversation.prompts);
    for (const { id } of conversation.questions.values()) this.questions.delete(id);
    const ofTenant = this.#all.get(tenant);
    ofTenant?.delete(session);
    if (ofTenant?.size !== 0) return;
    this.#all.delete(tenant);
    this.served.delete(tenant);
  }

  /** The conversation that a lease is for; throws if it is no longer held. */
  held(lease: Lease): Conversation {
    this.checkOpen();
    const conversation = this.get(lease);
    if (conversation?.owner === undefined || conversation.fence !== lease.fence)
      throw new LeaseLostError(lease);
    return conversation;
  }

  nextFence(): number {
    this.#fence += 1;
    return this.#fence;
  }

  setState(conversation: Conversation, state: SessionState): void {
    const { tenant } = conversation.ref;
    if (conversation.state === state) return;
    const queued = this.queued.get(tenant) ?? new Set();
    if (conversation.state === 'queued') queued.delete(conversation);
    if (conversation.state === 'running') this.running.delete(conversation);
    conversation.state = state;
    if (state === 'queued') queued.add(conversation);
    if (state === 'running') this.running.add(conversation);
    if (queued.size > 0) this.queued.set(tenant, queued);
    else this.queued.delete(tenant);
  }

  countPrompts(conversation: Conversation, by: number): void {
    const { tenant } = conversation.ref;
    const ofTenant = (this.prompts.get(tenant) ?? 0) + by;
    conversation.prompts += by;
    this.allPrompts += by;
    if (ofTenant > 0) this.prompts.set(tenant, ofTenant);
    else this.prompts.delete(tenant);
  }

  /** Wakes a conversation if it is queued; `undo` is called if that fails. */
  async wake(conversation: Conversation, wake: Wake | undefined, undo: () => void): Promise<void> {
    if (conversation.state !== 'queued') return;
    try {
      await wake?.({ ...conversation.ref }, undefined);
    } catch (error) {
      undo();
      throw TenonError.is(error) ? error : wakeError(conversation.ref, error);
    }
  }

  tell(...topics: Topic[]): void {
    for (const topic of topics) this.watchers.tell(keyOf(topic));
  }
}

function newConversation(ref: SessionRef): Conversation {
  const now = clock.now();
  return {
    ref,
    created: now,
    changed: now,
    transcript: new InMemorySessionStore(),
    journal: new Map(),
    questions: new Map(),
    inbox: new Map(),
    keys: new Map(),
    events: [],
    state: 'idle',
    readyAt: 0,
    leaseUntil: 0,
    reason: undefined,
    owner: undefined,
    fence: 0,
    crashes: 0,
    prompts: 0,
    lastNumber: 0,
    lastEvent: 0,
  };
}

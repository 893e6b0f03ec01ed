import { isSuccess } from '../../client/query/results.js';
import { clock } from '../../protocol/base/clock.js';
import { messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { SDKResultMessage } from '../../protocol/wire/messages/index.js';
import type { Agent } from '../conversations/agent.js';
import type { Agents } from '../conversations/agents.js';
import { HostedStore } from '../conversations/hosted-store.js';
import type { HostMessage, PromptOutcome } from '../host-messages.js';
import type { HostSettings } from '../host-options.js';
import { done, goOn, parked, promptMessage, resumed } from '../notices.js';
import { type HostCounts, noteTurn } from '../stats.js';
import { LeaseLostError, StorageError } from '../storage/errors.js';
import type { Commit } from '../storage/port/commit.js';
import type { Lease } from '../storage/port/conversation.js';
import type { InboxEntry } from '../storage/port/inbox.js';
import { EventLog } from './event-log.js';
import type { Failures } from './failures.js';
import { Questions } from './questions.js';
import { type AnswerBody, RunInbox } from './run-inbox.js';
import { type Told, toldOf } from './told.js';

export interface RunParts {
  readonly settings: HostSettings;
  readonly agents: Agents;
  readonly failures: Failures;
  readonly counts: HostCounts;
  /** Tells local readers. */
  published(lease: Lease, messages: readonly HostMessage[], last: number): void;
}

/** Why the work on a prompt does not come to its end here. */
type Cut =
  /** Nobody has answered a question: it is put away until somebody does. */
  | { kind: 'wait' }
  /** The program is to end. */
  | { kind: 'stop'; reason: string }
  /** Somebody else has the conversation. */
  | { kind: 'lost' }
  | { kind: 'failed'; error: unknown };

/** One turn of one conversation, under one lease: from the inbox to what is stored of the answer. */
export class Run {
  readonly lease: Lease;
  readonly #parts: RunParts;
  readonly #inbox: RunInbox;
  readonly #log: EventLog;
  readonly #started = clock.monotonic();
  #prompt: InboxEntry | undefined;
  #questions: Questions | undefined;
  #agent: Agent | undefined;
  #news: InboxEntry[] | undefined = [];
  #isInterrupted = false;
  /** Prompts up to this number are not wanted any more. */
  #dropBefore = 0;
  #cut: Cut | undefined;

  constructor(parts: RunParts, lease: Lease) {
    const { storage, batchMs } = parts.settings;
    const failed = (error: unknown): void => this.#stop({ kind: 'failed', error });
    this.lease = lease;
    this.#parts = parts;
    this.#inbox = new RunInbox(storage, lease, failed);
    this.#log = new EventLog({
      storage,
      lease,
      batchMs,
      published: (messages, last) => parts.published(lease, messages, last),
      failed,
    });
  }

  /** Resolves when the conversation was given back, or could not be; never rejects. */
  async perform(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      await this.#cutOff(this.#cut ?? { kind: 'failed', error });
    } finally {
      this.#inbox.close();
      this.#questions?.stop();
      this.#log.stop();
    }
  }

  /** The program is to end: what is not finished is left for the next one. */
  stop(reason: string): void {
    this.#stop({ kind: 'stop', reason });
  }

  /** The lease is lost: nothing is written any more. */
  lose(): void {
    this.#stop({ kind: 'lost' });
  }

  async #work(): Promise<void> {
    const { lease } = this;
    const { maxCrashes } = this.#parts.settings;
    this.#inbox.onNews = (entry) => this.#hear(entry);
    await this.#inbox.open();
    if (lease.crashes >= maxCrashes) {
      return this.#park(`Its worker was lost ${lease.crashes} times in a row.`);
    }
    for (const entry of this.#inbox.of('answer')) this.#answered(entry);
    const [prompt] = this.#inbox.of('prompt');
    this.#prompt = prompt;
    const stops = this.#inbox.of('interrupt').filter((entry) => entry.number > (prompt?.number ?? Infinity));
    for (const stop of this.#inbox.of('interrupt')) this.#takeStop(stop);
    if (prompt === undefined) return this.#release({ release: { state: 'idle' } });
    const warm = this.#parts.agents.take(lease);
    this.#agent = warm;
    const store = warm?.store ?? new HostedStore(this.#parts.settings.storage, lease);
    const known = warm === undefined && lease.previous !== 0 ? await store.newest() : undefined;
    const told = known === undefined ? undefined : toldOf(prompt.id, known.entries);
    if (told === undefined && stops.length > 0) return this.#drop(prompt);
    const isRetold = await this.#tell(prompt, told);
    if (told?.isAnswered) return this.#finish('answered');
    this.#questions = await this.#ask(prompt, told !== undefined && !isRetold);
    this.#agent ??= await this.#parts.agents.open(lease, store, known?.sessionId);
    this.#checkCut();
    const result = await this.#turn(this.#agent, told === undefined ? prompt : undefined, stops.length > 0);
    await this.#finish(this.#outcome(result), result);
  }

  /** Tells readers of the prompt, and again what was told of it if that is void. */
  async #tell(prompt: InboxEntry, told: Told | undefined): Promise<boolean> {
    const isLost = this.lease.crashes > 0;
    if (isLost) this.#log.add(resumed(prompt.id, 'Its worker was lost.'));
    const isRetold = told !== undefined && (isLost || (await this.#isVoid(prompt.id)));
    if (told === undefined || isRetold) this.#log.add(promptMessage(prompt) as HostMessage);
    if (isRetold) this.#log.add(...told.messages);
    return isRetold;
  }

  /** Whether the last word to readers was that the work begins anew. */
  async #isVoid(prompt: string): Promise<boolean> {
    const { storage } = this.#parts.settings;
    const { last } = await storage.events.read(this.lease, { limit: 1 });
    const { events } = await storage.events.read(this.lease, { after: Math.max(0, last - 1), limit: 1 });
    const message = events[0]?.message as HostMessage | undefined;
    return message?.type === 'host' && message.subtype === 'resumed' && message.prompt === prompt;
  }

  /** `isGoingOn`: what waits was told to readers before. */
  async #ask(prompt: InboxEntry, isGoingOn: boolean): Promise<Questions> {
    const { storage, holdMs } = this.#parts.settings;
    const { tenant, session } = this.lease;
    const failed = (error: unknown): void => this.#stop({ kind: 'failed', error });
    const pending = isGoingOn ? await storage.approvals.list({ tenant, session }) : [];
    const parts = {
      storage,
      lease: this.lease,
      prompt: prompt.id,
      holdMs,
      tell: (notice: HostMessage) => {
        if (notice.type === 'host' && notice.subtype === 'approval') this.#parts.counts.asked += 1;
        this.#log.add(notice);
      },
      withdraw: (key: string) => void this.#log.commit({ withdraw: [key] }).catch(failed),
      onParkable: () => this.#stop({ kind: 'wait' }),
      failed,
    };
    return new Questions(parts, pending);
  }

  async #turn(
    agent: Agent,
    prompt: InboxEntry | undefined,
    isInterrupted: boolean,
  ): Promise<SDKResultMessage> {
    const questions = this.#questions as Questions;
    agent.begin(this.lease, questions);
    questions.watch(agent.journal);
    agent.say(prompt === undefined ? goOn() : promptMessage(prompt));
    if (isInterrupted) this.#interrupt();
    const news = this.#news ?? [];
    this.#news = undefined;
    for (const entry of news) this.#hear(entry);
    for (;;) {
      const message = await agent.next();
      this.#checkCut();
      if (message === undefined) throw new TenonError('NO_RESULT', 'The agent has ended without a result.');
      this.#log.add(message);
      await this.#log.hasRoom();
      if (message.type === 'result' && message.final !== false) return message;
    }
  }

  #outcome(result: SDKResultMessage): PromptOutcome {
    if (result.failure?.kind === 'session_conflict') throw new LeaseLostError(this.lease);
    const failure = this.#agent?.failure;
    if (failure !== undefined) throw failure;
    if (this.#isInterrupted) return 'interrupted';
    return isSuccess(result) ? 'answered' : 'failed';
  }

  async #finish(outcome: PromptOutcome, result?: SDKResultMessage): Promise<void> {
    const prompt = this.#prompt as InboxEntry;
    this.#questions?.withdraw();
    this.#log.add(done(prompt.id, outcome));
    this.#inbox.handled.add(prompt.number);
    await this.#dropQueued();
    await this.#release({ withdraw: 'all', release: { state: 'idle' } });
    this.#parts.failures.forget(this.lease);
    noteTurn(this.#parts.counts, clock.monotonic() - this.#started);
    this.#parts.counts.turns[outcome === 'dropped' ? 'interrupted' : outcome] += 1;
    // A call that a hook has deferred is tried again by an agent that is resumed.
    const isKept = result !== undefined && result.terminal_reason !== 'tool_deferred';
    const agent = this.#agent;
    if (isKept && agent !== undefined) this.#parts.agents.keep(this.lease, agent);
    else await agent?.close();
  }

  /** A prompt that somebody has stopped before it began. */
  async #drop(prompt: InboxEntry): Promise<void> {
    this.#dropped(prompt);
    await this.#dropQueued();
    await this.#release({ release: { state: 'idle' } });
    this.#parts.counts.turns.interrupted += 1;
    if (this.#agent !== undefined) this.#parts.agents.keep(this.lease, this.#agent);
  }

  #dropped(prompt: InboxEntry): void {
    this.#log.add(promptMessage(prompt) as HostMessage, done(prompt.id, 'dropped'));
    this.#inbox.handled.add(prompt.number);
  }

  /** An interrupt may be meant for all that was sent before it. */
  async #dropQueued(): Promise<void> {
    if (this.#dropBefore === 0) return;
    for (const prompt of await this.#inbox.promptsBefore(this.#dropBefore)) this.#dropped(prompt);
  }

  async #park(reason: string): Promise<void> {
    this.#log.add(parked(reason));
    await this.#release({ release: { state: 'parked', reason } });
  }

  async #release(commit: Omit<Commit, 'events' | 'acknowledge'>): Promise<void> {
    this.#checkCut();
    await this.#log.commit({ acknowledge: [...this.#inbox.handled], ...commit });
  }

  /** Answers and interrupts that arrive during the turn. */
  #hear(entry: InboxEntry): void {
    if (this.#news !== undefined) {
      this.#news.push(entry);
      return;
    }
    if (entry.kind === 'answer') this.#answered(entry);
    if (entry.kind !== 'interrupt') return;
    this.#takeStop(entry);
    this.#interrupt();
  }

  #takeStop({ number, body }: InboxEntry): void {
    this.#inbox.handled.add(number);
    if ((body as { dropQueued?: boolean }).dropQueued === true) this.#dropBefore = number;
  }

  #answered({ number, body }: InboxEntry): void {
    const { approval, key, answer } = body as AnswerBody;
    this.#inbox.handled.add(number);
    this.#log.add({ type: 'host', subtype: 'answered', approval, answer });
    this.#parts.counts.answered += 1;
    this.#questions?.answered(key, answer);
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    if (this.#questions?.interrupt()) return;
    this.#agent?.interrupt().catch((error) => {
      if (this.#cut === undefined) this.#stop({ kind: 'failed', error });
    });
  }

  /** What runs is cut off, and left open for whoever goes on. */
  #stop(cut: Cut): void {
    if (this.#cut !== undefined && cut.kind !== 'lost') return;
    this.#cut = cut;
    this.#questions?.stop();
    void this.#agent?.close();
  }

  #checkCut(): void {
    if (this.#cut !== undefined) throw new TenonError('ABORTED', `The work was cut off (${this.#cut.kind}).`);
  }

  async #cutOff(cut: Cut): Promise<void> {
    const { problem } = this.#parts.settings;
    this.#cut = undefined;
    try {
      await this.#agent?.close();
      const isLost = cut.kind === 'lost' || (cut.kind === 'failed' && LeaseLostError.is(cut.error));
      if (isLost) this.#parts.counts.lostLeases += 1;
      else if (cut.kind === 'wait') await this.#wait();
      else if (cut.kind === 'stop') await this.#again(cut.reason, 0);
      else if (cut.kind === 'failed') await this.#failed(cut.error);
    } catch (error) {
      // Nothing more can be said: when the lease is over, somebody goes on from what is stored.
      problem({ during: 'giving a conversation back', error, session: this.lease });
    }
  }

  async #wait(): Promise<void> {
    this.#parts.counts.parked += 1;
    await this.#release({ release: { state: 'waiting' } });
  }

  async #failed(error: unknown): Promise<void> {
    const { failures, settings } = this.#parts;
    settings.problem({ during: 'a turn', error, session: this.lease });
    const reason = messageOf(error);
    if (StorageError.is(error)) return this.#again(reason, LIMITS.hostStorageRetryMs);
    const delayMs = OptionError.is(error) ? undefined : failures.next(this.lease);
    if (delayMs === undefined) return this.#park(reason);
    return this.#again(reason, delayMs);
  }

  /** Somebody tries again, from what is stored. */
  async #again(reason: string, delayMs: number): Promise<void> {
    this.#parts.counts.retries += 1;
    if (this.#prompt !== undefined) this.#log.add(resumed(this.#prompt.id, reason));
    await this.#release({ release: { state: 'queued', delayMs } });
  }
}

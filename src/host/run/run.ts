import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { SDKResultMessage } from '../../protocol/wire/messages/index.js';
import type { Agent } from '../conversations/agent.js';
import { isCli } from '../conversations/agent-options.js';
import type { TakenUp } from '../conversations/cli-take-up.js';
import { HostedStore } from '../conversations/hosted-store.js';
import type { HostMessage, PromptOutcome } from '../host-messages.js';
import { done, neverBegun, promptMessage } from '../notices.js';
import { noteTurn } from '../stats.js';
import type { Lease } from '../storage/port/conversation.js';
import type { InboxEntry } from '../storage/port/inbox.js';
import { type Cut, type CutRun, giveBack, park } from './cut-off.js';
import { EventLog } from './event-log.js';
import { outcomeOf } from './outcome.js';
import { Questions } from './questions.js';
import { type AnswerBody, RunInbox } from './run-inbox.js';
import type { RunParts } from './run-parts.js';
import { takeUpTelling } from './take-up-telling.js';
import { Telling } from './telling.js';
import { toldOf } from './told.js';

/** One turn of one conversation, under one lease: from the inbox to what is stored of the answer. */
export class Run {
  readonly lease: Lease;
  readonly #parts: RunParts;
  readonly #inbox: RunInbox;
  readonly #log: EventLog;
  readonly #started = clock.monotonic();
  readonly #telling: Telling;
  #prompt: InboxEntry | undefined;
  #questions: Questions | undefined;
  #agent: Agent | undefined;
  #news: InboxEntry[] | undefined = [];
  /** What was answered, by keys. */
  readonly #answers = new Set<string>();
  #isInterrupted = false;
  #isFinishing = false;
  /** Prompts up to this number are not wanted any more. */
  #dropBefore = 0;
  #cut: Cut | undefined;
  /** For waits that nothing else ends. */
  readonly #over = new AbortController();

  constructor(parts: RunParts, lease: Lease) {
    const { storage, batchMs } = parts.settings;
    const failed = (error: unknown): void => this.#stop({ kind: 'failed', error });
    this.lease = lease;
    this.#parts = parts;
    // A look that is late finds the conversation given back; whether that has worked, the commit itself says.
    this.#inbox = new RunInbox(storage, lease, (error) => !this.#isFinishing && failed(error));
    this.#log = new EventLog({
      storage,
      lease,
      batchMs,
      published: (messages, last) => parts.readers.publish(lease, messages, last),
      failed,
    });
    this.#telling = new Telling(storage, lease, this.#log);
  }

  /** Resolves when the conversation was given back, or could not be; never rejects. */
  async perform(): Promise<void> {
    const { readers } = this.#parts;
    readers.runBegins(this.lease);
    try {
      await this.#work();
    } catch (error) {
      await this.#cutOff(this.#cut ?? { kind: 'failed', error });
    } finally {
      this.#inbox.close();
      this.#questions?.stop();
      this.#log.stop();
      readers.runEnds(this.lease);
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
    const { tenant, session } = lease;
    const { settings } = this.#parts;
    this.#inbox.onNews = (entry) => this.#hear(entry);
    await this.#inbox.open();
    this.#checkCut();
    const [prompt] = this.#inbox.of('prompt');
    this.#prompt = prompt;
    if (lease.crashes >= settings.maxCrashes) {
      return park(this.#cutRun, `Its worker was lost ${lease.crashes} times in a row.`);
    }
    for (const entry of this.#inbox.of('answer')) this.#answered(entry);
    const stops = this.#inbox.of('interrupt').filter((entry) => entry.number > (prompt?.number ?? Infinity));
    for (const stop of this.#inbox.of('interrupt')) this.#takeStop(stop);
    if (prompt === undefined) return this.#release([], []);
    const warm = this.#parts.agents.take(lease);
    this.#agent = warm;
    const store = warm?.store ?? new HostedStore(settings.storage, lease);
    const known = warm === undefined && lease.previous !== 0 ? await store.newest() : undefined;
    const told = known === undefined ? undefined : toldOf(prompt.id, known.entries);
    if (told === undefined && stops.length > 0) return this.#drop(prompt);
    const isGoingOn = await this.#telling.begin(prompt, told);
    if (told?.isAnswered) return this.#finish('answered');
    const { signal } = this.#over;
    const options = warm === undefined ? await settings.optionsFor({ tenant, session }, signal) : undefined;
    const taken =
      told !== undefined && known !== undefined && options !== undefined && isCli(options)
        ? await takeUpTelling(this.#cutRun, store, known, { isStopped: stops.length > 0, isGoingOn })
        : undefined;
    if (taken?.next.do === 'wait') return giveBack({ kind: 'wait' }, this.#cutRun);
    if (taken?.next.do === 'stop') return this.#finish('interrupted');
    this.#questions = await this.#ask(prompt, isGoingOn);
    if (options !== undefined) {
      const asked = new Set([...this.#answers, ...this.#questions.keys]);
      const start = { resume: known?.sessionId, asked };
      this.#agent = await this.#parts.agents.open(lease, store, options, start);
    }
    this.#checkCut();
    const result = await this.#turn(told === undefined ? prompt : undefined, taken, stops.length > 0);
    const failure = this.#agent?.failure;
    const outcome = outcomeOf(result, { lease, failure, isInterrupted: this.#isInterrupted });
    await this.#finish(outcome, result);
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
    prompt: InboxEntry | undefined,
    taken: TakenUp | undefined,
    isInterrupted: boolean,
  ): Promise<SDKResultMessage> {
    const [agent, questions] = [this.#agent as Agent, this.#questions as Questions];
    agent.begin(this.lease, questions);
    questions.watch(agent.journal);
    if (prompt === undefined) agent.goOn(taken);
    else agent.say(promptMessage(prompt));
    if (isInterrupted) this.#interrupt();
    const news = this.#news ?? [];
    this.#news = undefined;
    for (const entry of news) this.#hear(entry);
    for (;;) {
      const message = await agent.next();
      this.#checkCut();
      if (message === undefined) throw new TenonError('NO_RESULT', 'The agent has ended without a result.');
      await this.#telling.add(message);
      if (message.type === 'result' && message.final !== false) return message;
    }
  }

  async #finish(outcome: PromptOutcome, result?: SDKResultMessage): Promise<void> {
    const prompt = this.#prompt as InboxEntry;
    this.#isFinishing = true;
    this.#questions?.withdraw();
    const dropped = await this.#queuedToDrop();
    await this.#release([prompt, ...dropped], [done(prompt.id, outcome), ...dropped.flatMap(neverBegun)]);
    this.#parts.failures.forget(this.lease);
    noteTurn(this.#parts.counts, clock.monotonic() - this.#started);
    this.#parts.counts.turns[outcome === 'dropped' ? 'interrupted' : outcome] += 1;
    // A call that a hook has deferred is tried again by an agent that is resumed.
    const isOpen = result !== undefined && result.terminal_reason !== 'tool_deferred';
    if (isOpen) this.#keepAgent();
    else await this.#agent?.close();
  }

  /** A prompt that somebody has stopped before it began. */
  async #drop(prompt: InboxEntry): Promise<void> {
    this.#isFinishing = true;
    const dropped = [prompt, ...(await this.#queuedToDrop())];
    this.#telling.lost(prompt);
    await this.#release(dropped, dropped.flatMap(neverBegun));
    this.#parts.counts.turns.interrupted += 1;
    this.#keepAgent();
  }

  /** Unless it was closed meanwhile, because of something that has failed beside the last commit. */
  #keepAgent(): void {
    if (this.#agent !== undefined && this.#cut === undefined)
      this.#parts.agents.keep(this.lease, this.#agent);
  }

  /** An interrupt may be meant for all that was sent before it. */
  async #queuedToDrop(): Promise<InboxEntry[]> {
    if (this.#dropBefore === 0) return [];
    const prompts = await this.#inbox.promptsBefore(this.#dropBefore);
    return prompts.filter(({ number }) => number !== this.#prompt?.number);
  }

  /** The last words, that the prompts are dealt with, and the end of the lease: all of it, or nothing. */
  async #release(prompts: readonly InboxEntry[], notices: readonly HostMessage[]): Promise<void> {
    this.#checkCut();
    const acknowledge = [...this.#inbox.handled, ...prompts.map(({ number }) => number)];
    await this.#log.commit({ acknowledge, withdraw: 'all', release: { state: 'idle' } }, notices);
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
    this.#answers.add(key);
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
    // Only the last commit is left to do. Whether the lease is lost, it says itself: who renews may ask after the release.
    if (this.#isFinishing && cut.kind !== 'failed') return;
    this.#cut = cut;
    this.#over.abort();
    // What comes from now on is for whoever goes on: here it would be dealt with, and nobody would act on it.
    this.#inbox.close();
    this.#questions?.stop();
    void this.#agent?.close();
  }

  #checkCut(): void {
    if (this.#cut !== undefined) throw new TenonError('ABORTED', `The work was cut off (${this.#cut.kind}).`);
  }

  async #cutOff(cut: Cut): Promise<void> {
    const { lease } = this;
    this.#cut = undefined;
    this.#inbox.close();
    try {
      await this.#agent?.close();
      await giveBack(cut, this.#cutRun);
    } catch (error) {
      // Nothing more can be said: when the lease is over, somebody goes on from what is stored.
      this.#parts.settings.problem({ during: 'giving a conversation back', error, session: lease });
    }
  }

  get #cutRun(): CutRun {
    const prompt = this.#prompt?.id;
    const [agent, log, inbox, parts] = [this.#agent, this.#log, this.#inbox, this.#parts];
    return { lease: this.lease, agent, log, inbox, parts, prompt };
  }
}

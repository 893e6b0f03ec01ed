import { clock, MAX_TIMER_MS, type Timer, unref, wait } from '../protocol/base/clock.js';
import { OptionError, TenonError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { UserContentBlock } from '../protocol/wire/content.js';
import type { SessionMessage } from '../sessions/session-info.js';
import { checkAnswer } from './answers.js';
import type { OpenQuery } from './conversations/agent.js';
import { Agents } from './conversations/agents.js';
import { newestTranscript } from './conversations/hosted-store.js';
import type { ApprovalFilter, DrainOptions, Host, HostOptions, HostStats, ReadOptions } from './host.js';
import type { HostAnswer, HostApproval, HostEvent, HostQuestion } from './host-messages.js';
import { type HostSettings, hostSettings } from './host-options.js';
import { hostHandler } from './http/handler.js';
import type { HandlerOptions } from './http/handler-options.js';
import type { PromptBody } from './notices.js';
import { ApprovalReaders, approvalOf } from './read/approval-readers.js';
import { EventReaders } from './read/event-readers.js';
import { Failures } from './run/failures.js';
import { LocalEngine } from './run/local-engine.js';
import { Run } from './run/run.js';
import { saidIn } from './run/told.js';
import { type HostCounts, newCounts } from './stats.js';
import { checkedDuration } from './storage/checked.js';
import { QueueFullError } from './storage/errors.js';
import type { SessionRef } from './storage/port/conversation.js';
import type { Receipt } from './storage/port/inbox.js';
import type { SessionQuery, StoredSession } from './storage/port/sessions.js';

/** `createHost()`, on the machine that `open` runs on. */
export function hostOn(options: HostOptions, open: OpenQuery): Host {
  return new OpenHost(hostSettings(options), open);
}

class OpenHost implements Host {
  readonly #settings: HostSettings;
  readonly #counts: HostCounts = newCounts();
  readonly #agents: Agents;
  readonly #engine: LocalEngine;
  readonly #readers: EventReaders;
  readonly #approvals: ApprovalReaders;
  readonly #sweeping: Timer;
  #ended: Promise<void> | undefined;

  constructor(settings: HostSettings, open: OpenQuery) {
    const { storage, readers } = settings;
    this.#settings = settings;
    this.#agents = new Agents(settings, open, this.#counts);
    this.#readers = new EventReaders(storage, readers);
    this.#approvals = new ApprovalReaders(storage);
    const parts = {
      settings,
      agents: this.#agents,
      failures: new Failures(),
      counts: this.#counts,
      readers: this.#readers,
    };
    this.#engine = new LocalEngine(settings, (lease) => new Run(parts, lease));
    this.#engine.start();
    this.#sweeping = unref(clock.setInterval(() => void this.#sweep(), LIMITS.hostSweepMs));
  }

  async send(
    ref: SessionRef,
    prompt: string | readonly UserContentBlock[],
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<Receipt> {
    this.#checkOpen();
    checkPrompt(prompt);
    const { storage, queued } = this.#settings;
    const body: PromptBody = { prompt };
    try {
      return await storage.inbox.send(ref, { kind: 'prompt', body }, { idempotencyKey, limits: queued });
    } catch (error) {
      if (!QueueFullError.is(error)) throw error;
      this.#counts.refused += 1;
      throw new QueueFullError(ref, error.of, error.limit, this.#retryAfterMs(error));
    }
  }

  events(ref: SessionRef, options?: ReadOptions): AsyncGenerator<HostEvent, void> {
    return this.#readers.read(ref, options);
  }

  approvals(
    options: ApprovalFilter & { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<HostApproval, void> {
    return this.#approvals.read(options);
  }

  async pendingApprovals(
    options: ApprovalFilter & { after?: string | undefined; limit?: number | undefined } = {},
  ): Promise<HostApproval[]> {
    return (await this.#settings.storage.approvals.list(options)).map(approvalOf);
  }

  async answer(
    id: string,
    answer: HostAnswer,
    { tenant, session }: ApprovalFilter = {},
  ): Promise<'taken' | 'already' | 'gone'> {
    this.#checkOpen();
    const { approvals } = this.#settings.storage;
    const asked = await approvals.get(id);
    if (asked === undefined || asked.state === 'gone') return 'gone';
    if (tenant !== undefined && tenant !== asked.tenant) return 'gone';
    if (session !== undefined && session !== asked.session) return 'gone';
    checkAnswer((asked.question as HostQuestion).kind, answer);
    return approvals.answer(id, answer);
  }

  async interrupt(
    ref: SessionRef,
    { dropQueued = false }: { dropQueued?: boolean | undefined } = {},
  ): Promise<void> {
    this.#checkOpen();
    const { sessions, inbox } = this.#settings.storage;
    const known = await sessions.get(ref);
    // Nothing to stop, and a conversation need not begin with it.
    if (known === undefined || (known.state === 'idle' && known.inbox === 0)) return;
    await inbox.send(ref, { kind: 'interrupt', body: { dropQueued } });
  }

  sessions(query?: SessionQuery): Promise<StoredSession[]> {
    return this.#settings.storage.sessions.list(query);
  }

  session(ref: SessionRef): Promise<StoredSession | undefined> {
    return this.#settings.storage.sessions.get(ref);
  }

  async messages(ref: SessionRef): Promise<SessionMessage[]> {
    return saidIn((await newestTranscript(this.#settings.storage.transcript(ref)))?.entries ?? []);
  }

  unpark(ref: SessionRef): Promise<boolean> {
    this.#checkOpen();
    return this.#settings.storage.sessions.unpark(ref);
  }

  async remove(ref: SessionRef): Promise<void> {
    this.#checkOpen();
    await this.#settings.storage.sessions.remove(ref);
    await this.#agents.forget(ref);
  }

  async stats(): Promise<HostStats> {
    const { turns, asked, answered, parked, evicted, refused, lostLeases, retries } = this.#counts;
    return {
      sessions: await this.#settings.storage.sessions.counts(),
      running: this.#engine.running,
      open: this.#agents.size,
      processes: this.#agents.processes,
      readers: this.#readers.count,
      turns: { ...turns },
      approvals: { asked, answered, parked },
      evicted,
      refused,
      lostLeases,
      retries,
    };
  }

  handler(options: HandlerOptions): (request: Request) => Promise<Response> {
    return hostHandler(this, options, (problem) => this.#settings.problem(problem));
  }

  drain({ deadlineMs = 30_000 }: DrainOptions = {}): Promise<void> {
    checkedDuration('deadlineMs', deadlineMs, 0, MAX_TIMER_MS);
    this.#ended ??= this.#end(deadlineMs);
    return this.#ended;
  }

  close(): Promise<void> {
    if (this.#ended !== undefined) this.#engine.cutOff('The program was told to end.');
    return this.drain({ deadlineMs: 0 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(deadlineMs: number): Promise<void> {
    clock.clearInterval(this.#sweeping);
    this.#engine.stop();
    const late = new AbortController();
    const idle = this.#engine.idle();
    if (deadlineMs > 0) {
      await Promise.race([idle, wait(deadlineMs, { signal: late.signal }).catch(() => {})]);
      late.abort();
    }
    this.#engine.cutOff('The program was told to end.');
    await idle;
    await this.#agents.close();
    this.#readers.close();
    this.#approvals.close();
    await this.#settings.storage.close();
  }

  async #sweep(): Promise<void> {
    const { storage, retention } = this.#settings;
    try {
      await storage.sweep(retention);
    } catch (error) {
      this.#settings.problem({ during: 'the deletion of what is no longer kept', error });
    }
  }

  /** How long it takes to work off half of what waits, as fast as turns went so far. */
  #retryAfterMs({ of, limit }: QueueFullError): number {
    const { running, perTenant = running } = this.#settings;
    const atOnce = { all: running, tenant: Math.min(perTenant, running), session: 1 }[of];
    const turnMs = this.#counts.turnMs ?? LIMITS.hostRetryAfterMs;
    const halfMs = (turnMs * limit) / 2 / atOnce;
    return Math.round(Math.min(Math.max(halfMs, LIMITS.hostRetryAfterMs), LIMITS.hostRetryAfterMostMs));
  }

  #checkOpen(): void {
    if (this.#ended !== undefined) throw new TenonError('CLOSED', 'The host is closed, or about to be.');
  }
}

function checkPrompt(prompt: unknown): void {
  if (typeof prompt === 'string' && prompt.trim() !== '') return;
  const isBlocks =
    Array.isArray(prompt) &&
    prompt.length > 0 &&
    prompt.every((block) => isRecord(block) && typeof block.type === 'string');
  if (isBlocks) return;
  throw new OptionError(
    'prompt',
    prompt,
    'send(): `prompt` must be a text that is not empty, or a list of content blocks.',
  );
}

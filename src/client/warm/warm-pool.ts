import { givenOptions } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import { AbortError, messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { SecretValues } from '../../protocol/base/secret-values.js';
import type { Prompt } from '../conversation/user-input.js';
import { debugTo } from '../query/observers.js';
import { checkPrompt } from '../query/open-agent.js';
import { query } from '../query/query.js';
import type { Query } from '../query/query-type.js';
import type { WarmQuery } from './warm-types.js';

export interface WarmPoolParameters {
  /** For every query of the pool. */
  options?: Options | undefined;
  /** An agent that has waited this long is replaced: what it read at startup has gone stale. */
  maxAgeMs?: number | undefined;
  /** How long an agent may take to be ready. */
  initializeTimeoutMs?: number | undefined;
}

/** Agents that are ready before they are needed. */
export interface WarmPool extends AsyncDisposable {
  /** Uses a waiting agent, or starts one like `query()` if none is ready. */
  query(prompt: Prompt): Query;
  /** How many agents are waiting. */
  readonly ready: number;
  /** The processes of the waiting agents. */
  readonly pids: readonly number[];
  /** Resolves when the pool is full; rejects with the reason if an agent does not start. */
  filled(): Promise<void>;
  /** Ends the waiting agents; resolves when they have exited. Queries already started continue. */
  close(): Promise<void>;
}

interface WaitingAgent {
  agent: WarmQuery;
  retire: Timer;
}

/**
 * Keeps `size` agents ready, and replaces those that die or become stale. Close it to let the program exit.
 */
class AgentPool implements WarmPool {
  readonly #size: number;
  readonly #parameters: WarmPoolParameters;
  readonly #waiting: WaitingAgent[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #closing = new Set<Promise<void>>();
  /** Aborted when the pool is closed: agents that are still starting are ended. */
  readonly #unwanted = new AbortController();
  readonly #listeners = new Set<{ resolve(): void; reject(error: unknown): void }>();
  #failures = 0;
  #retry: Timer | undefined;
  #closed = false;

  constructor(size: number, parameters: WarmPoolParameters) {
    check(size, parameters);
    this.#size = size;
    this.#parameters = parameters;
    this.#fill();
  }

  get ready(): number {
    return this.#waiting.length;
  }

  get pids(): number[] {
    return this.#waiting.flatMap(({ agent }) => agent.pid ?? []);
  }

  query(prompt: Prompt): Query {
    checkPrompt('WarmPool.query', prompt);
    if (this.#closed) throw new TenonError('CLOSED', 'WarmPool.query(): the pool was closed.');
    const waiting = this.#waiting.shift();
    this.#fill();
    if (waiting === undefined) return query({ prompt, options: this.#parameters.options });
    clock.clearTimeout(waiting.retire);
    return waiting.agent.query(prompt);
  }

  filled(): Promise<void> {
    if (this.#closed)
      return Promise.reject(new TenonError('CLOSED', 'WarmPool.filled(): the pool was closed.'));
    if (this.#waiting.length >= this.#size) return Promise.resolve();
    return new Promise((resolve, reject) => this.#listeners.add({ resolve, reject }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clock.clearTimeout(this.#retry);
    this.#settleListeners((listener) => listener.reject(new TenonError('CLOSED', 'The pool was closed.')));
    for (const waiting of this.#waiting.splice(0)) this.#end(waiting);
    this.#unwanted.abort();
    await Promise.all(this.#starting);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #fill(): void {
    if (this.#closed || this.#retry !== undefined) return;
    const missing = this.#size - this.#waiting.length - this.#starting.size;
    const atOnce = Math.min(missing, LIMITS.warmStartsAtOnce - this.#starting.size);
    for (let started = 0; started < atOnce; started += 1) {
      const start = this.#start().finally(() => {
        this.#starting.delete(start);
        this.#fill();
      });
      this.#starting.add(start);
    }
  }

  /** Never rejects. */
  async #start(): Promise<void> {
    const { options, initializeTimeoutMs, maxAgeMs = LIMITS.warmAgeMs } = this.#parameters;
    let agent: WarmQuery;
    try {
      const { startup } = await import('./startup.js');
      agent = await startup({ options, initializeTimeoutMs }, this.#unwanted.signal);
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.#failures = 0;
    const waiting = { agent, retire: clock.setTimeout(() => this.#replace(waiting), maxAgeMs) };
    // The processes keep the program alive, as those of queries do; the timer should not.
    unref(waiting.retire);
    if (this.#closed) return this.#end(waiting);
    this.#waiting.push(waiting);
    void agent.exited.then(() => this.#replace(waiting));
    if (this.#waiting.length >= this.#size) this.#settleListeners((listener) => listener.resolve());
  }

  /** The agent has died or is stale: another one takes its place. */
  #replace(waiting: WaitingAgent): void {
    const index = this.#waiting.indexOf(waiting);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#end(waiting);
    this.#fill();
  }

  #end({ agent, retire }: WaitingAgent): void {
    clock.clearTimeout(retire);
    const closed = agent.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Retries later; meanwhile queries start their own agents and report what is wrong. */
  #failed(error: unknown): void {
    this.#settleListeners((listener) => listener.reject(error));
    if (this.#closed) return;
    // The text contains no secrets: it comes from a query's own error.
    debugTo(this.#parameters.options?.onDebug, new SecretValues())(
      'pool',
      `an agent did not start: ${messageOf(error)}`,
    );
    const delay = Math.min(LIMITS.warmRetryMs * 2 ** this.#failures, LIMITS.warmMaxRetryMs);
    this.#failures += 1;
    clock.clearTimeout(this.#retry);
    this.#retry = clock.setTimeout(() => {
      this.#retry = undefined;
      this.#fill();
    }, delay);
    unref(this.#retry);
  }

  #settleListeners(settle: (listener: { resolve(): void; reject(error: unknown): void }) => void): void {
    for (const listener of this.#listeners) settle(listener);
    this.#listeners.clear();
  }
}

/** Starts `size` agents with the same options and keeps that many ready. */
export function warmPool(size: number, parameters: WarmPoolParameters = {}): WarmPool {
  return new AgentPool(size, parameters);
}

/** Options that belong to one conversation; a pool starts many. */
const ONE_CONVERSATION = ['sessionId', 'resume', 'continue', 'resumeSessionAt'] as const;

function check(size: number, { options: all = {}, maxAgeMs }: WarmPoolParameters): void {
  if (!Number.isInteger(size) || size < 1) {
    throw new OptionError(
      'size',
      size,
      `warmPool(): the number of agents must be a whole number of at least 1; it is ${String(size)}.`,
    );
  }
  if (maxAgeMs !== undefined && !(maxAgeMs > 0)) {
    throw new OptionError(
      'maxAgeMs',
      maxAgeMs,
      `warmPool(): \`maxAgeMs\` must be a number of milliseconds above 0; it is ${String(maxAgeMs)}.`,
    );
  }
  const options = givenOptions(all, 'warmPool');
  for (const name of ONE_CONVERSATION) {
    if (options[name] === undefined || options[name] === false) continue;
    throw new OptionError(
      name,
      options[name],
      `warmPool(): \`options.${name}\` belongs to one conversation, and a pool starts many. Call startup() or query() with it.`,
    );
  }
  if (options.abortController?.signal.aborted || options.signal?.aborted) throw new AbortError();
}

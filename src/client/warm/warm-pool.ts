import { AbortError, messageOf, OptionError, TenonError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import { SecretValues } from '../../protocol/secret-values.js';
import { debugTo } from '../debug.js';
import type { Prompt } from '../open-agent.js';
import type { Options } from '../options.js';
import { checkPrompt, query } from '../query.js';
import type { Query } from '../query-type.js';
import { startup } from './index.js';
import type { WarmQuery } from './warm-types.js';

export interface WarmPoolParameters {
  /** Of every query of the pool. */
  options?: Options | undefined;
  /** An agent that has waited this long is replaced: what it read at its start grows old. */
  maxAgeMs?: number | undefined;
  /** How long an agent may take to be ready. */
  initializeTimeoutMs?: number | undefined;
}

/** Agents that are ready before anybody asks. */
export interface WarmPool extends AsyncDisposable {
  /** Takes a waiting agent; starts one, as `query()` does, where none is ready. */
  query(prompt: Prompt): Query;
  /** How many wait. */
  readonly ready: number;
  /** The processes of those that wait. */
  readonly pids: readonly number[];
  /** Resolves when the pool is full; rejects with the reason when an agent does not start. */
  filled(): Promise<void>;
  /** Ends those that wait; resolves when they are gone. Queries that were handed out live on. */
  close(): Promise<void>;
}

interface Waiting {
  agent: WarmQuery;
  retire: NodeJS.Timeout;
}

/** Keeps `size` agents ready: refills itself, replaces those that die or grow old. Close it to end the program. */
class AgentPool implements WarmPool {
  readonly #size: number;
  readonly #parameters: WarmPoolParameters;
  readonly #waiting: Waiting[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listeners = new Set<{ resolve(): void; reject(error: unknown): void }>();
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
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
    clearTimeout(waiting.retire);
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
    clearTimeout(this.#retry);
    this.#tell((listener) => listener.reject(new TenonError('CLOSED', 'The pool was closed.')));
    for (const waiting of this.#waiting.splice(0)) this.#end(waiting);
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
      agent = await startup({ options, initializeTimeoutMs });
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.#failures = 0;
    const waiting = { agent, retire: setTimeout(() => this.#leave(waiting), maxAgeMs) };
    // The processes keep the program alive, as those of queries do; their clocks need not.
    waiting.retire.unref();
    if (this.#closed) return this.#end(waiting);
    this.#waiting.push(waiting);
    void agent.exited.then(() => this.#leave(waiting));
    if (this.#waiting.length >= this.#size) this.#tell((listener) => listener.resolve());
  }

  /** It has died or is too old: another one takes its place. */
  #leave(waiting: Waiting): void {
    const index = this.#waiting.indexOf(waiting);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#end(waiting);
    this.#fill();
  }

  #end({ agent, retire }: Waiting): void {
    clearTimeout(retire);
    const gone = agent.close().finally(() => this.#closing.delete(gone));
    this.#closing.add(gone);
  }

  /** What does not start now may start later; meanwhile queries start their own, and say what is wrong. */
  #failed(error: unknown): void {
    this.#tell((listener) => listener.reject(error));
    if (this.#closed) return;
    // Its text has no secrets: it comes out of a query's own error.
    debugTo(this.#parameters.options?.onDebug, new SecretValues())(
      'pool',
      `an agent did not start: ${messageOf(error)}`,
    );
    const delay = Math.min(LIMITS.warmRetryMs * 2 ** this.#failures, LIMITS.warmMaxRetryMs);
    this.#failures += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#fill();
    }, delay);
    this.#retry.unref();
  }

  #tell(say: (listener: { resolve(): void; reject(error: unknown): void }) => void): void {
    for (const listener of this.#listeners) say(listener);
    this.#listeners.clear();
  }
}

/** Starts `size` agents with the same options and keeps so many ready. */
export function warmPool(size: number, parameters: WarmPoolParameters = {}): WarmPool {
  return new AgentPool(size, parameters);
}

/** These belong to one conversation, and a pool starts many. */
const OF_ONE = ['sessionId', 'resume', 'continue', 'resumeSessionAt'] as const;

function check(size: number, { options = {}, maxAgeMs }: WarmPoolParameters): void {
  if (!Number.isInteger(size) || size < 1) {
    throw new OptionError(
      'size',
      size,
      `warmPool(): the number of agents must be a whole number from 1 on; it is ${String(size)}.`,
    );
  }
  if (maxAgeMs !== undefined && !(maxAgeMs > 0)) {
    throw new OptionError(
      'maxAgeMs',
      maxAgeMs,
      `warmPool(): \`maxAgeMs\` must be milliseconds above 0; it is ${String(maxAgeMs)}.`,
    );
  }
  for (const name of OF_ONE) {
    if (options[name] === undefined || options[name] === false) continue;
    throw new OptionError(
      name,
      options[name],
      `warmPool(): \`options.${name}\` belongs to one conversation, and a pool starts many. Call startup() or query() with it.`,
    );
  }
  if (options.abortController?.signal.aborted || options.signal?.aborted) throw new AbortError();
}

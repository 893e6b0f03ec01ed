import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { wait } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { FeedLine } from '../feed-lines.js';
import { envelopes } from './envelopes.js';
import type { Feed } from './feed.js';
import type { InspectedRun } from './inspected-run.js';

const TOO_SLOW = 'The page has not read for too long. It can be opened again, and has everything then.';

/** What a page has of a run. */
interface Sent {
  text: number;
  spans: number;
  isBroken: boolean;
}

/**
 * Sends one page everything so far, and then what happens. Lines of runs are read from where they are kept when the
 * page can take them, so that a slow page is behind, and costs nothing.
 */
export class FeedStream {
  closed: Promise<void> = Promise.resolve();
  readonly #feed: Feed;
  readonly #response: ServerResponse;
  readonly #sent = new WeakMap<InspectedRun, Sent>();
  readonly #gone = new AbortController();
  /** It is gone, or is being cut off. */
  readonly #over = new AbortController();
  #queue: FeedLine[] = [];
  #cut: string | undefined;
  #last: string | undefined;
  #isChanged = true;
  #wake: () => void = () => {};

  constructor(feed: Feed, response: ServerResponse) {
    this.#feed = feed;
    this.#response = response;
  }

  /** Resolves when the page is gone. */
  send(): Promise<void> {
    this.closed = this.#send();
    return this.closed;
  }

  async #send(): Promise<void> {
    this.#response
      .on('error', () => {})
      .once('close', () => {
        this.#gone.abort();
        this.#over.abort();
        this.#wake();
      });
    this.#queue = this.#feed.state();
    const stop = this.#feed.listen({
      runsChanged: () => this.#changed(),
      line: (line) => this.#take(line),
    });
    try {
      await this.#write(textOf(this.#feed.hello));
      await this.#pass();
      await this.#write(textOf({ feed: 'caught-up' }));
      while (!this.#isOver) {
        await this.#change();
        await this.#pass();
        if (this.#last !== undefined) this.cut(this.#last);
      }
      if (this.#cut !== undefined) await this.#end(this.#cut);
    } finally {
      stop();
    }
  }

  /** Ends it when the page has everything that there is now. */
  finish(message: string): void {
    this.#last ??= message;
    this.#changed();
  }

  /** Ends it from here. */
  cut(message: string): void {
    this.#cut ??= message;
    this.#over.abort();
    this.#changed();
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #take(line: FeedLine): void {
    if (this.#queue.length >= LIMITS.maxQueuedFeedLines) {
      this.cut(TOO_SLOW);
      return;
    }
    this.#queue.push(line);
    this.#changed();
  }

  #changed(): void {
    this.#isChanged = true;
    this.#wake();
  }

  async #change(): Promise<void> {
    if (!this.#isChanged) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#isOver) resolve();
      });
    }
    if (!this.#isOver) await wait(LIMITS.feedBatchMs, { keepsAlive: false });
  }

  /** What there is now: first the lines of runs, then what was said besides, so that an end comes after what it ends. */
  async #pass(): Promise<void> {
    this.#isChanged = false;
    const besides = this.#queue;
    this.#queue = [];
    for (const run of [...this.#feed.runs]) {
      if (this.#isOver) return;
      await this.#sendRun(run);
    }
    if (besides.length > 0) await this.#write(besides.map(textOf).join(''));
  }

  async #sendRun(run: InspectedRun): Promise<void> {
    const { number, name, text, spans } = run;
    let sent = this.#sent.get(run);
    if (sent === undefined) {
      sent = { text: 0, spans: 0, isBroken: false };
      this.#sent.set(run, sent);
      await this.#write(textOf({ feed: 'run', run: number, name }));
    }
    try {
      for (const [kind, source] of [
        ['text', text],
        ['spans', spans],
      ] as const) {
        const end = source.length;
        if (sent[kind] === end) continue;
        for await (const lines of source.read(sent[kind], end)) {
          await this.#write(envelopes(number, lines.toString('latin1')), 'latin1');
          if (this.#isOver) return;
        }
        sent[kind] = end;
      }
    } catch (error) {
      run.broken ??= messageOf(error);
    }
    if (run.broken === undefined || sent.isBroken) return;
    sent.isBroken = true;
    await this.#write(textOf({ feed: 'broken', run: number, message: run.broken }));
  }

  async #write(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<void> {
    if (this.#isOver || this.#response.write(text, encoding)) return;
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#over.signal]);
    const stalled = wait(LIMITS.feedStallMs, { signal, keepsAlive: false }).then(() => this.cut(TOO_SLOW));
    await Promise.race([once(this.#response, 'drain', { signal }), stalled]).catch(() => {});
    stalled.catch(() => {});
    enough.abort();
  }

  async #end(message: string): Promise<void> {
    if (this.#gone.signal.aborted) return;
    this.#response.end(textOf({ feed: 'cut', message }));
    // A page that does not read never gets it.
    await wait(LIMITS.closeGraceMs, { signal: this.#gone.signal, keepsAlive: false }).catch(() => {});
    this.#response.destroy();
  }
}

function textOf(line: FeedLine): string {
  return `${JSON.stringify(line)}\n`;
}

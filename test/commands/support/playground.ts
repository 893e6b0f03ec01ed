/** `tenon dev` as its page knows it: an address with a token, a feed of lines, and what can be posted. */
import type { FeedLine, Playground, Question } from '../../../src/inspector/feed-lines.js';
import { waitUntil } from '../../support/real-cli.js';

export class PageClient implements AsyncDisposable {
  readonly lines: FeedLine[] = [];
  readonly #origin: string;
  readonly #token: string;
  readonly #over = new AbortController();

  constructor(url: string) {
    const { origin, hash } = new URL(url);
    this.#origin = origin;
    this.#token = hash.slice('#token='.length);
  }

  /** Reads the feed from now on. */
  async open(): Promise<this> {
    const response = await fetch(`${this.#origin}/api/feed`, {
      headers: this.#headers,
      signal: this.#over.signal,
    });
    if (response.body === null || !response.ok) throw new Error(`The feed answered ${response.status}.`);
    void this.#read(response.body).catch(() => {});
    await this.sees((line) => 'feed' in line && line.feed === 'caught-up', 'the whole feed');
    return this;
  }

  async post(path: string, body: object): Promise<{ status: number; body: unknown }> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#origin}${path}`, init);
    return { status: response.status, body: await response.json() };
  }

  /** The last state that was sent. */
  get playground(): Playground | undefined {
    const found = this.lines.findLast((line) => 'feed' in line && line.feed === 'playground');
    return found !== undefined && 'playground' in found ? found.playground : undefined;
  }

  get questions(): Question[] {
    return this.lines.flatMap((line) => ('question' in line ? [line.question] : []));
  }

  /** All frames of all runs, as text. */
  get frames(): string {
    return this.lines.flatMap((line) => ('line' in line ? [JSON.stringify(line.line)] : [])).join('\n');
  }

  async sees(wanted: (line: FeedLine) => boolean, what: string): Promise<void> {
    await waitUntil(() => this.lines.some(wanted), { what });
  }

  /** Waits for a state of the playground. */
  async state(wanted: (state: Playground) => boolean, what: string): Promise<Playground> {
    await waitUntil(() => this.playground !== undefined && wanted(this.playground), { what });
    return this.playground as Playground;
  }

  /** Sends a prompt and waits until its turn is over. */
  async prompt(text: string): Promise<void> {
    const before = this.lines.length;
    await this.post('/api/prompt', { text });
    const isIdleAgain = (): boolean => {
      const states = this.lines
        .slice(before)
        .flatMap((line) => ('playground' in line ? [line.playground.isBusy] : []));
      return states.includes(true) && states.at(-1) === false;
    };
    await waitUntil(isIdleAgain, { what: `the end of the turn "${text}"` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}`, origin: this.#origin };
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const part of body) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines.map((line) => JSON.parse(line)));
    }
  }
}

/** `tenon dev` as its page knows it: an address with a token, a feed of lines, and what can be posted. */
import type { FeedLine, Playground, Question } from '../../../src/inspector/feed-lines.js';
import { type Sandbox, waitUntil } from '../../support/real-cli.js';
import { type Finished, start } from './tenon.js';

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

export interface Dev extends AsyncDisposable {
  readonly page: PageClient;
  readonly pid: number;
  readonly output: () => string;
  readonly first: Record<string, unknown>;
  end(signal: NodeJS.Signals): Promise<Finished>;
}

/** Starts `tenon dev ./shop.js` without a terminal, and opens its page. */
export async function dev(args: readonly string[], env: Record<string, string>, cwd: string): Promise<Dev> {
  const { child, output, finished } = start(['dev', './shop.js', '--json', ...args], { env, cwd });
  await waitUntil(() => output().includes('\n'), { what: 'the address of the page' });
  const [first = ''] = output().split('\n');
  const announced = JSON.parse(first);
  const page = await new PageClient(announced.url).open();
  const end = (signal: NodeJS.Signals): Promise<Finished> => {
    child.kill(signal);
    return finished;
  };
  return {
    page,
    pid: child.pid as number,
    output,
    first: announced,
    end,
    [Symbol.asyncDispose]: async () => {
      await page[Symbol.asyncDispose]();
      await end('SIGKILL');
    },
  };
}

/** Nothing of this machine: neither a CLI nor a key. */
export const bare = (box: Sandbox): Record<string, string> => ({ PATH: '', HOME: box.home });

/** A page without a browser: reads the feed of an inspector, and asks for what the page asks for. */
import type { FeedLine } from '../../../src/inspector/feed-lines.js';
import type { TapeHead, TapeLine } from '../../../src/observe/tape-format.js';
import { waitUntil } from '../../support/real-cli.js';

export interface Address {
  readonly origin: string;
  readonly token: string;
}

export function addressOf(url: string): Address {
  const { origin, hash } = new URL(url);
  return { origin, token: new URLSearchParams(hash.slice(1)).get('token') ?? '' };
}

/** The headers that the page's requests have. */
export function pageHeaders({ origin, token }: Address): Record<string, string> {
  return { origin, authorization: `Bearer ${token}` };
}

export function post(address: Address, path: string, body: unknown): Promise<Response> {
  return fetch(address.origin + path, {
    method: 'POST',
    headers: { ...pageHeaders(address), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export class FeedReader implements AsyncDisposable {
  readonly lines: FeedLine[] = [];
  /** As it came. */
  text = '';
  isOver = false;
  readonly #enough = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  #problem: unknown;

  static async open(url: string): Promise<FeedReader> {
    const address = addressOf(url);
    const reader = new FeedReader();
    const response = await fetch(`${address.origin}/api/feed`, {
      headers: pageHeaders(address),
      signal: reader.#enough.signal,
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    reader.#reading = reader.#read(response).catch((error: unknown) => {
      reader.#problem = error;
    });
    return reader;
  }

  async #read(response: Response): Promise<void> {
    let rest = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      this.text += part;
      const pieces = (rest + part).split('\n');
      rest = pieces.pop() ?? '';
      for (const piece of pieces) this.lines.push(JSON.parse(piece));
    }
    this.isOver = true;
  }

  async until(what: string, predicate: (reader: FeedReader) => boolean): Promise<void> {
    await waitUntil(
      () => {
        if (this.#problem !== undefined) throw this.#problem;
        return predicate(this);
      },
      {
        what: `${what}; there is: ${this.lines.map(kindOf).join(', ')}`,
      },
    );
  }

  caughtUp(): Promise<void> {
    return this.until('the end of what was there', ({ feeds }) => feeds('caught-up').length > 0);
  }

  readonly feeds = <Name extends string>(name: Name): Extract<FeedLine, { feed: Name }>[] =>
    this.lines.filter(
      (line): line is Extract<FeedLine, { feed: Name }> => 'feed' in line && line.feed === name,
    );

  /** The lines of a run, or of all. */
  tape(run?: number): (TapeHead | TapeLine)[] {
    return this.lines.flatMap((line) =>
      'line' in line && (run === undefined || line.run === run) ? [line.line] : [],
    );
  }

  frames(run?: number): Extract<TapeLine, { kind: 'frame' }>[] {
    return this.tape(run).filter((line) => 'kind' in line && line.kind === 'frame') as Extract<
      TapeLine,
      { kind: 'frame' }
    >[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#enough.abort();
    await this.#reading;
  }
}

function kindOf(line: FeedLine): string {
  if ('feed' in line) return line.feed;
  return 'kind' in line.line ? line.line.kind : 'head';
}

/** Made by hand: the head of a tape, and frames. */
export function headLine(session = 's-1'): string {
  const head = { tape: 1, tenon: '0', node: 'v0', platform: 'x', startedAt: '2026-11-18T00:00:00.000Z' };
  return `${JSON.stringify({ ...head, conversation: session, backEnd: 'cli', agent: 'test', options: {} })}\n`;
}

export function frameLine(n: number, frame: Record<string, unknown> = { type: 'keep_alive' }): string {
  return `${JSON.stringify({ kind: 'frame', n, t: n, direction: '<', frame })}\n`;
}

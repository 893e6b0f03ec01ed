import { RefusedError, request, savedFeed } from './server.js';
import { connection, touch, world } from './store.js';
import { World } from './world.js';

/** The longest piece of work before the page may draw and answer keys. */
const SLICE_MS = 24;
/** While what was there before is read, drawing more often would only make it take longer. */
const READING_DRAW_MS = 200;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** Reads the feed for as long as the page is open. */
export async function readFeed(): Promise<void> {
  if (savedFeed !== null) return readSaved(savedFeed.textContent ?? '');
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const response = await request('/api/feed');
      if (response.body !== null) await readBody(response.body);
      wait = FIRST_WAIT_MS;
    } catch (error) {
      if (error instanceof RefusedError && error.status === 403) {
        connection.value = { state: 'refused' };
        return;
      }
    }
    connection.value = { state: 'lost', retryAt: performance.now() + wait };
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** A second connection is told everything again: it is read beside what is shown, which it then replaces. */
async function readBody(body: ReadableStream<Uint8Array>): Promise<void> {
  const isFirst = !world.value.isCaughtUp && world.value.runs.size === 0;
  const target = isFirst ? world.value : new World();
  connection.value = { state: isFirst ? 'open' : 'connecting' };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new LineTaker(target);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    await lines.take(decoder.decode(value, { stream: true }));
    if (target.isCaughtUp && world.value !== target) world.value = target;
    if (world.value === target) connection.value = connectionOf('open');
    lines.draw();
  }
}

async function readSaved(text: string): Promise<void> {
  connection.value = { state: 'file' };
  const lines = new LineTaker(world.value);
  const PIECE = 1 << 20;
  for (let at = 0; at < text.length; at += PIECE) await lines.take(text.slice(at, at + PIECE));
  await lines.take('\n');
  world.value.saved();
  touch();
}

/** The same object as before where nothing changed: what depends on it is not drawn again. */
function connectionOf(state: 'open'): typeof connection.value {
  return connection.value.state === state ? connection.value : { state };
}

class LineTaker {
  readonly #target: World;
  #rest = '';
  #drawnAt = 0;

  constructor(target: World) {
    this.#target = target;
  }

  /** Lets the page draw whenever a slice is over. */
  async take(text: string): Promise<void> {
    let started = performance.now();
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = this.#rest + text.slice(from, end);
      this.#rest = '';
      from = end + 1;
      if (line !== '') this.#target.take(line);
      if (performance.now() - started < SLICE_MS) continue;
      this.draw();
      await breath();
      started = performance.now();
    }
    this.#rest += text.slice(from);
  }

  draw(): void {
    const now = performance.now();
    if (!this.#target.isCaughtUp && now - this.#drawnAt < READING_DRAW_MS) return;
    this.#drawnAt = now;
    touch();
  }
}

/** Until the browser has handled what it has waiting. A timer would wait longer than it must. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

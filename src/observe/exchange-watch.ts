import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { clock, type Timer, unref, wait } from '../protocol/base/clock.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { ModelCall } from '../protocol/transport/run-events.js';

const INDEX = 'index.jsonl';
const REQUEST = '.request.json';
/** Whatever the agent runs can write here too: a name must not lead elsewhere, nor a link. */
const NAME = /^\w[\w.-]{0,200}$/;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A line of the index: the CLI adds one when an answer is complete. */
interface Row {
  request: string;
  response: string;
  messageId: string | undefined;
}

interface Body {
  /** JSON in one line; undefined if the file is too long. */
  text: string | undefined;
  bytes: number;
}

/** Reads what the CLI writes for `OTEL_LOG_RAW_API_BODIES`, and removes what it has read. */
export class ExchangeWatch {
  readonly #directory: string;
  readonly #tell: (call: ModelCall) => void;
  #changes: FSWatcher | undefined;
  #poll: Timer | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isDue = false;
  /** How far the index was read, and rows whose answer is not there yet. */
  #position = 0;
  #rows: Row[] = [];
  #count = 0;
  #isOver = false;

  constructor(directory: string, tell: (call: ModelCall) => void) {
    this.#directory = directory;
    this.#tell = tell;
    try {
      this.#changes = watch(directory, { persistent: false }, () => this.#look());
      this.#changes.on('error', () => this.#pollInstead());
    } catch {
      this.#pollInstead();
    }
    this.#look();
  }

  /** The CLI has ended: tells of what is left. */
  async finish(): Promise<void> {
    this.#stopLooking();
    this.#look();
    const rest = this.#reading.then(() => this.#tellRest()).catch(() => {});
    const enough = new AbortController();
    await Promise.race([rest, wait(LIMITS.exchangeCloseMs, { signal: enough.signal }).catch(() => {})]);
    enough.abort();
    this.#isOver = true;
  }

  /** A system allows only so many watchers. */
  #pollInstead(): void {
    this.#stopLooking();
    this.#poll = unref(clock.setInterval(() => this.#look(), LIMITS.exchangePollMs));
  }

  #stopLooking(): void {
    this.#changes?.close();
    this.#changes = undefined;
    clock.clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** One after the other. A look that has not begun yet sees whatever has changed before. */
  #look(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#reading = this.#reading.then(async () => {
      this.#isDue = false;
      // What cannot be read now is looked at again at the end.
      await this.#readIndex().catch(() => {});
    });
  }

  async #readIndex(): Promise<void> {
    const index = await opened(join(this.#directory, INDEX));
    if (index === undefined) return;
    try {
      this.#rows.push(...(await this.#newRows(index)));
    } finally {
      await index.close();
    }
    for (const row of this.#rows.splice(0)) if (!(await this.#tellRow(row))) this.#rows.push(row);
  }

  async #newRows(index: FileHandle): Promise<Row[]> {
    const { size } = await index.stat();
    const length = Math.min(size - this.#position, LIMITS.maxExchangeBytes);
    if (length <= 0) return [];
    const { buffer, bytesRead } = await index.read(Buffer.alloc(length), 0, length, this.#position);
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    this.#position += end;
    return buffer.toString('utf8', 0, end).split('\n').flatMap(rowOf);
  }

  /** False if the answer is not whole yet: the CLI writes the row first. */
  async #tellRow({ request, response, messageId }: Row): Promise<boolean> {
    const answer = await this.#body(response);
    if (answer === undefined) return false;
    await this.#tellOf(request, { messageId, response: answer });
    await this.#remove(response);
    return true;
  }

  /** Requests that have no answer, or one that never became whole. */
  async #tellRest(): Promise<void> {
    for (const { request, messageId } of this.#rows.splice(0)) await this.#tellOf(request, { messageId });
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(REQUEST));
    const asked = await Promise.all(names.map(async (name) => ({ name, at: await this.#askedAt(name) })));
    for (const { name } of asked.sort((one, other) => one.at - other.at)) await this.#tellOf(name, {});
  }

  async #tellOf(name: string, { messageId, response }: { messageId?: string | undefined; response?: Body }) {
    const began = await this.#askedAt(name);
    const request = await this.#body(name);
    await this.#remove(name);
    if (request === undefined || this.#isOver) return;
    this.#count += 1;
    const isCut = request.text === undefined || (response !== undefined && response.text === undefined);
    this.#tell({
      kind: 'exchange',
      began,
      id: this.#count,
      ...(messageId === undefined ? {} : { messageId }),
      request: request.text ?? '{}',
      ...(response === undefined ? {} : { response: response.text ?? '{}' }),
      ...(isCut ? { cut: request.bytes + (response?.bytes ?? 0) } : {}),
    });
  }

  /** A request is written when it is sent. */
  async #askedAt(name: string): Promise<number> {
    const { birthtimeMs, mtimeMs } = await stat(join(this.#directory, name)).catch(() => NEVER);
    return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
  }

  /** Undefined if there is no such file, or it is not whole. */
  async #body(name: string): Promise<Body | undefined> {
    const file = NAME.test(name) ? await opened(join(this.#directory, name)) : undefined;
    if (file === undefined) return undefined;
    try {
      const status = await file.stat();
      if (!status.isFile()) return undefined;
      if (status.size > LIMITS.maxExchangeBytes) return { text: undefined, bytes: status.size };
      return { text: oneLine(await file.readFile('utf8')), bytes: status.size };
    } catch {
      return undefined;
    } finally {
      await file.close();
    }
  }

  async #remove(name: string): Promise<void> {
    if (NAME.test(name)) await unlink(join(this.#directory, name)).catch(() => {});
  }
}

const NEVER = { birthtimeMs: 0, mtimeMs: 0 };

async function opened(path: string): Promise<FileHandle | undefined> {
  return open(path, READ).catch(() => undefined);
}

function rowOf(line: string): Row[] {
  try {
    const row: unknown = JSON.parse(line);
    if (!isRecord(row)) return [];
    const { request_file: request, response_file: response, message_id: messageId } = row;
    if (typeof request !== 'string' || typeof response !== 'string') return [];
    return [{ request, response, messageId: typeof messageId === 'string' ? messageId : undefined }];
  } catch {
    return [];
  }
}

/** Throws if it is no object of JSON, or not all of it. */
function oneLine(text: string): string {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) throw new Error('A body is an object.');
  return text.includes('\n') ? JSON.stringify(body) : text;
}

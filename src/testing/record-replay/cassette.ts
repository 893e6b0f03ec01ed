import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Redactor } from '../../observe/redactor.js';
import { readTape } from '../../observe/tape-reader.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import type { ModelRequest } from '../../runtime/model.js';

/** One request and its complete answer: one line of the file. */
export interface CassetteEntry {
  request: ModelRequest;
  events: StreamEvent[];
  /** How the answer failed, if it did. */
  error?: { message: string; status?: number; type?: string };
  /** Nobody waited for the rest of the answer. */
  stopped?: true;
}

export interface CassetteHead {
  cassette: 1;
  model: string;
}

/**
 * A file of JSON lines: a head, then entries. Written line by line, so that a failing test keeps what it
 * recorded.
 */
export class Cassette {
  readonly #file: string;
  readonly #redactor: Redactor;

  constructor(file: string, redactor: Redactor) {
    this.#file = file;
    this.#redactor = redactor;
  }

  get exists(): boolean {
    return existsSync(this.#file);
  }

  begin(model: string): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    const head: CassetteHead = { cassette: 1, model };
    writeFileSync(this.#file, `${JSON.stringify(head)}\n`);
  }

  append(entry: CassetteEntry): void {
    appendFileSync(this.#file, `${this.#redactor.line(JSON.stringify(entry))}\n`);
  }

  /** A request as it is recorded, to compare it. */
  recorded(request: ModelRequest): unknown {
    return JSON.parse(this.#redactor.line(JSON.stringify(request)));
  }

  read(): { head: CassetteHead; entries: CassetteEntry[] } {
    const lines = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const [first, ...others] = lines;
    const head = first === undefined ? undefined : this.#parse(first, 1);
    if (isRecord(head) && 'tape' in head) return fromTape(this.#file);
    if ((head as CassetteHead | undefined)?.cassette !== 1) {
      throw new TenonError('INVALID_OPTION', `recordReplay: ${this.#file} is neither a cassette nor a tape.`);
    }
    const entries = others.map((line, index) => this.#parse(line, index + 2) as CassetteEntry);
    return { head: head as CassetteHead, entries };
  }

  #parse(line: string, number: number): unknown {
    try {
      return JSON.parse(line);
    } catch (error) {
      const where = `${this.#file}, line ${number}`;
      throw new TenonError('INVALID_OPTION', `recordReplay: ${where} is not JSON: ${messageOf(error)}`);
    }
  }
}

/** The requests to a model that are in the recording of a whole conversation. */
function fromTape(file: string): { head: CassetteHead; entries: CassetteEntry[] } {
  const { lines, head } = readTape(file);
  const entries = new Map<number, CassetteEntry>();
  for (const line of lines) {
    if (line.kind === 'request') {
      entries.set(line.id, { request: line.request as unknown as ModelRequest, events: [], stopped: true });
    } else if (line.kind === 'answer') {
      const { id, events, error, stopped } = line;
      const entry = entries.get(id);
      if (entry === undefined) continue;
      entry.events = events as StreamEvent[];
      if (error !== undefined) entry.error = error;
      if (stopped !== true) delete entry.stopped;
    }
  }
  const [first] = entries.values();
  if (first !== undefined) {
    return { head: { cassette: 1, model: first.request.model }, entries: [...entries.values()] };
  }
  throw new TenonError(
    'INVALID_TAPE',
    `recordReplay: ${file} is the recording of an agent (${head.agent}) that asked its model elsewhere. ` +
      'Play it with replayTape(), or record a run of embedded().',
  );
}

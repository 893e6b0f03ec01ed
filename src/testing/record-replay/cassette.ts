import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import type { ModelRequest } from '../../runtime/model.js';

/** One request and its complete answer: one line of the file. */
export interface CassetteEntry {
  request: ModelRequest;
  events: StreamEvent[];
  /** How the answer failed, if it did. */
  error?: { message: string; status?: number; type?: string };
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
  readonly #redact: (text: string) => string;

  /** `redact` removes secrets from a line of JSON. */
  constructor(file: string, redact: (text: string) => string) {
    this.#file = file;
    this.#redact = redact;
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
    appendFileSync(this.#file, `${this.#redact(JSON.stringify(entry))}\n`);
  }

  /** A request as it is recorded, to compare it. */
  recorded(request: ModelRequest): unknown {
    return JSON.parse(this.#redact(JSON.stringify(request)));
  }

  read(): { head: CassetteHead; entries: CassetteEntry[] } {
    const lines = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const [head, ...entries] = lines.map((line, index) => this.#parse(line, index + 1));
    if ((head as CassetteHead | undefined)?.cassette !== 1) {
      throw new TenonError('INVALID_OPTION', `recordReplay: ${this.#file} is not a cassette.`);
    }
    return { head: head as CassetteHead, entries: entries as CassetteEntry[] };
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

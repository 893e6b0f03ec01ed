import { messageOf } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { BlockReader } from './block-reader.js';
import { type PlayedLine, TAPE_VERSION, TapeError, type TapeHead, type TapeLine } from './tape-format.js';

export interface RawLine {
  readonly text: string;
  /** Without a newline at its end, because the file ends. */
  readonly isOpen?: boolean;
}

/** Reads the lines of a tape, wherever they come from, with blocks filled in. */
export class TapeParser {
  /** Of the line that was parsed last; 1 is the head. */
  number = 0;
  /** How errors name the tape. */
  readonly #file: string;
  readonly #blocks = new BlockReader();
  #hasHead = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined for blocks, empty lines, and kinds that a later version may have. */
  parse({ text, isOpen = false }: RawLine): TapeHead | PlayedLine | undefined {
    this.number += 1;
    if (text === '') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      if (isOpen && this.#hasHead) return undefined;
      if (!this.#hasHead) throw this.#notATape();
      throw this.#wrong(`it is not JSON (${messageOf(error)}). The file was changed after it was recorded.`);
    }
    if (!this.#hasHead) return this.#head(value);
    if (!isRecord(value) || typeof value.kind !== 'string') {
      throw this.#wrong('it has no `kind`. The file was changed after it was recorded.');
    }
    return this.#line(value as unknown as TapeLine);
  }

  /** Throws if there was not even a head. */
  end(): void {
    if (this.#hasHead) return;
    throw new TapeError(
      this.#file,
      undefined,
      'the file is empty. Its program was killed before it could be written; record again.',
    );
  }

  #head(value: unknown): TapeHead {
    if (!isRecord(value) || typeof value.tape !== 'number') throw this.#notATape();
    if (value.tape !== TAPE_VERSION) {
      throw this.#wrong(
        `this is a tape of version ${value.tape}, written by Tenon ${String(value.tenon)}; this Tenon reads version ${TAPE_VERSION}. Update it: npm install tenon@latest`,
      );
    }
    this.#hasHead = true;
    return value as unknown as TapeHead;
  }

  #line(line: TapeLine): PlayedLine | undefined {
    try {
      if (line.kind === 'block') return void this.#blocks.add(line);
      if (!KINDS.has(line.kind)) return undefined;
      const filled = this.#blocks.filled(line) as PlayedLine;
      if (filled.kind === 'frame' && !isRecord(filled.frame)) throw new Error('its `frame` is not an object');
      return filled;
    } catch (error) {
      throw this.#wrong(`${messageOf(error)}. The file was changed after it was recorded.`);
    }
  }

  #notATape(): TapeError {
    return this.#wrong(
      'this is not a tape, which begins with {"tape":1, …}. Tapes are written by `options.record`, tenon run --record, and TENON_RECORD.',
    );
  }

  #wrong(problem: string): TapeError {
    return new TapeError(this.#file, this.number, problem);
  }
}

const KINDS: ReadonlySet<PlayedLine['kind']> = new Set<PlayedLine['kind']>([
  'frame',
  'request',
  'answer',
  'exchange',
  'span',
  'stderr',
  'noise',
  'dropped',
  'input-end',
  'end',
]);

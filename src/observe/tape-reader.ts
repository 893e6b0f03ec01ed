import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { LineSplitter } from '../protocol/transport/pipes.js';
import { BlockReader } from './blocks.js';
import {
  TAPE_VERSION,
  type Tape,
  type TapeBlock,
  TapeError,
  type TapeHead,
  type TapeLine,
} from './tape-format.js';

const CHUNK_BYTES = 256 * 1024;

export type PlayedLine = Exclude<TapeLine, TapeBlock>;

export interface ReadLine {
  readonly line: TapeHead | PlayedLine;
  /** 1 is the head. */
  readonly number: number;
  /** How far into the file it is. */
  readonly bytesRead: number;
}

/** Reads a tape whole. Throws a `TapeError` that names the file and the line. */
export function readTape(file: string): Tape {
  return asTape(file, tapeLines(file));
}

/** Puts together what `tapeLines()` has read. */
export function asTape(file: string, read: Iterable<ReadLine>): Tape {
  const [head, ...lines] = [...read].map(({ line }) => line) as [TapeHead, ...PlayedLine[]];
  const last = lines.at(-1);
  return { file, head, lines, end: last?.kind === 'end' ? last : undefined };
}

/**
 * The head and the lines of a tape, one after the other, with blocks filled in. Only one part of the file is in memory
 * at a time, besides blocks. A last line that is torn is left out: its writer was killed.
 */
export function* tapeLines(file: string): Generator<ReadLine, void> {
  const parser = new TapeParser(file);
  let bytesRead = 0;
  for (const raw of rawLines(file)) {
    bytesRead += raw.byteLength + 1;
    const line = parser.parse(raw);
    if (line !== undefined) yield { line, number: parser.number, bytesRead };
  }
  parser.end();
}

interface RawLine {
  readonly text: string;
  readonly byteLength: number;
  /** Without a newline at its end, because the file ends. */
  readonly isOpen: boolean;
}

function* rawLines(file: string): Generator<RawLine, void> {
  const descriptor = opened(file);
  try {
    const found: RawLine[] = [];
    let isOpen = false;
    let number = 0;
    const tooLong = (): void => {
      const most = LIMITS.maxTapeLineBytes;
      throw new TapeError(
        file,
        number + 1,
        `the line is longer than ${most} bytes, and no tape has such a line.`,
      );
    };
    const splitter = new LineSplitter(
      {
        line: (text, byteLength) => {
          number += 1;
          found.push({ text, byteLength, isOpen });
        },
        oversized: tooLong,
        exceeded: tooLong,
      },
      LIMITS.maxTapeLineBytes,
    );
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(descriptor, chunk);
      isOpen = bytes === 0;
      if (bytes === 0) splitter.end();
      else splitter.push(chunk.subarray(0, bytes));
      yield* found.splice(0);
      if (bytes === 0) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

function opened(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file. Record one: tenon run "…" --record' : messageOf(error);
    throw new TapeError(file, undefined, code === 'ENOENT' ? `${why} ${file}` : why);
  }
}

class TapeParser {
  number = 0;
  readonly #file: string;
  readonly #blocks = new BlockReader();
  #hasHead = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined for blocks, empty lines, and kinds that a later version may have. */
  parse({ text, isOpen }: RawLine): TapeHead | PlayedLine | undefined {
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
  'stderr',
  'noise',
  'dropped',
  'input-end',
  'end',
]);

import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import { LineSplitter } from '../protocol/transport/pipes.js';
import { type PlayedLine, type Tape, TapeError, type TapeHead } from './tape-format.js';
import { type RawLine, TapeParser } from './tape-parser.js';

const CHUNK_BYTES = 256 * 1024;

export type { PlayedLine } from './tape-format.js';

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

interface FileLine extends RawLine {
  readonly byteLength: number;
}

function* rawLines(file: string): Generator<FileLine, void> {
  const descriptor = opened(file);
  try {
    const found: FileLine[] = [];
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

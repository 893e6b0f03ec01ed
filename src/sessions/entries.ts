// Transcripts are lines of JSON written by another program, which may be writing right now or may have been
// killed. So a line that is cut off, empty, in another encoding or absurdly long is skipped without losing
// anything else.

import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../protocol/base/limits.js';
import type { SessionStoreEntry } from '../protocol/wire/session-store.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** An entry and the position of its line. */
export interface PlacedEntry {
  entry: SessionStoreEntry;
  offset: number;
  length: number;
}

/** Every entry of a file, one at a time: only one line is held in memory. */
export async function* entriesOf(
  file: FileHandle,
  from = 0,
  until?: number,
): AsyncGenerator<PlacedEntry, void> {
  for await (const { bytes, offset } of linesOf(file, from, until)) {
    const entry = parseEntry(bytes);
    if (entry !== undefined) yield { entry, offset, length: bytes.length };
  }
}

export function parseEntry(bytes: Buffer): SessionStoreEntry | undefined {
  // Some editors add a byte order mark, which JSON does not allow.
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as SessionStoreEntry;
    return typeof value.type === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file for the duration of `use`; undefined if it does not exist. */
export async function withFile<Result>(
  path: string,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

interface Line {
  bytes: Buffer;
  offset: number;
}

async function* linesOf(
  file: FileHandle,
  from: number,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<Line, void> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  let lineStart = from;
  let position = from;
  const take = (end: Buffer): Line | undefined => {
    const bytes = parts.length === 0 ? end : Buffer.concat([...parts, end]);
    const line =
      partBytes + end.length > LIMITS.maxTranscriptLineBytes ? undefined : { bytes, offset: lineStart };
    parts = [];
    partBytes = 0;
    return line;
  };
  while (position < until) {
    const chunk = await readAt(file, position, Math.min(CHUNK_BYTES, until - position));
    if (chunk.length === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = take(chunk.subarray(start, end));
      start = end + 1;
      lineStart = position + start;
      if (line !== undefined) yield line;
    }
    const rest = chunk.subarray(start);
    partBytes += rest.length;
    if (partBytes > LIMITS.maxTranscriptLineBytes) parts = [];
    else if (rest.length > 0) parts.push(rest);
    position += chunk.length;
  }
  const last = take(Buffer.alloc(0));
  if (last !== undefined && last.bytes.length > 0) yield last;
}

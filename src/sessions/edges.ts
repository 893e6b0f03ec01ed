import type { FileHandle } from 'node:fs/promises';
import { LIMITS } from '../protocol/base/limits.js';
import type { SessionStoreEntry } from '../protocol/wire/session-store.js';
import { entriesOf } from './entries.js';
import { promptWords } from './first-prompt.js';
import { lastEntryId } from './session-conflict.js';

/**
 * The first and last entries of a transcript: what a list needs, without reading the hundreds of megabytes
 * that may lie between them. The head extends until the first prompt; titles and tags are at the end.
 */
export async function readEdges(file: FileHandle, size: number): Promise<SessionStoreEntry[]> {
  const entries: SessionStoreEntry[] = [];
  let head = 0;
  let hasPrompt = false;
  for await (const { entry, offset, length } of entriesOf(
    file,
    0,
    Math.min(size, LIMITS.maxTranscriptHeadBytes),
  )) {
    head = offset + length + 1;
    entries.push(entry);
    hasPrompt ||= promptWords(entry).prompt !== undefined;
    if (hasPrompt && head >= LIMITS.transcriptEdgeBytes) break;
  }
  return [...entries, ...(await readTail(file, size, head))];
}

/** `lastEntryId` of a whole transcript; only as much of it is read as is needed. */
export async function readLastId(file: FileHandle, size: number): Promise<string | undefined> {
  for (let bytes = LIMITS.transcriptEdgeBytes; ; bytes *= 4) {
    const start = Math.max(0, size - bytes);
    let last: string | undefined;
    for await (const { entry } of entriesOf(file, start, size)) last = lastEntryId([entry]) ?? last;
    if (last !== undefined || start === 0) return last;
  }
}

/** The complete lines in the last bytes of a file; more bytes if a single line fills them. */
async function readTail(file: FileHandle, size: number, head: number): Promise<SessionStoreEntry[]> {
  for (let bytes = LIMITS.transcriptEdgeBytes; ; bytes *= 4) {
    const start = Math.max(head, size - bytes);
    const entries: SessionStoreEntry[] = [];
    // A line that is cut off at its start is not JSON, and so it is skipped.
    for await (const { entry } of entriesOf(file, start, size)) entries.push(entry);
    if (entries.length > 0 || start === head || bytes >= LIMITS.maxTranscriptHeadBytes) return entries;
  }
}

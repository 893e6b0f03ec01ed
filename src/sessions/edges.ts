import type { FileHandle } from 'node:fs/promises';
import { LIMITS } from '../protocol/limits.js';
import type { SessionStoreEntry } from '../protocol/session-store.js';
import { entriesOf } from './entries.js';
import { promptWords } from './first-prompt.js';

/**
 * The first and the last entries of a transcript: what a list needs, without reading the hundreds of megabytes that
 * may lie between. The head goes on until somebody has said something; titles and tags are at the end.
 */
export async function readEdges(file: FileHandle, size: number): Promise<SessionStoreEntry[]> {
  const entries: SessionStoreEntry[] = [];
  let head = 0;
  let said = false;
  for await (const { entry, offset, length } of entriesOf(
    file,
    0,
    Math.min(size, LIMITS.maxTranscriptHeadBytes),
  )) {
    head = offset + length + 1;
    entries.push(entry);
    said ||= promptWords(entry).prompt !== undefined;
    if (said && head >= LIMITS.transcriptEdgeBytes) break;
  }
  return [...entries, ...(await readTail(file, size, head))];
}

/** The whole lines in the last bytes of a file; more bytes, if one line fills them all. */
async function readTail(file: FileHandle, size: number, head: number): Promise<SessionStoreEntry[]> {
  for (let bytes = LIMITS.transcriptEdgeBytes; ; bytes *= 4) {
    const start = Math.max(head, size - bytes);
    const entries: SessionStoreEntry[] = [];
    // What does not begin at the start of a line is no JSON, and so passed over.
    for await (const { entry } of entriesOf(file, start, size)) entries.push(entry);
    if (entries.length > 0 || start === head || bytes >= LIMITS.maxTranscriptHeadBytes) return entries;
  }
}

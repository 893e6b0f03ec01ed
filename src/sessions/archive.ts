import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../protocol/base/clock.js';
import type { TranscriptFile } from './transcript-files.js';

/** Next to the transcript, because archiving must not count as a change to the conversation. */
const fileOf = ({ folder }: TranscriptFile): string => join(folder, 'archived.json');

/** Undefined if never archived. `lastPrompt`: a later prompt takes a conversation out of the archive. */
export async function readArchived(file: TranscriptFile, lastPrompt: number): Promise<boolean | undefined> {
  const text = await readFile(fileOf(file), 'utf8').catch(() => '');
  try {
    const { archived, at } = JSON.parse(text) as { archived?: unknown; at?: unknown };
    const since = typeof at === 'string' ? Date.parse(at) : Number.NaN;
    if (typeof archived !== 'boolean' || Number.isNaN(since)) return undefined;
    return archived && lastPrompt <= since;
  } catch {
    return undefined;
  }
}

export async function writeArchived(file: TranscriptFile, archived: boolean): Promise<void> {
  await mkdir(file.folder, { recursive: true, mode: 0o700 });
  const mark = { archived, at: timestamp(), by: 'sdk' };
  await writeFile(fileOf(file), JSON.stringify(mark), { mode: 0o600 });
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptFile } from './transcript-files.js';

/** Beside the transcript, because a mark must not count as a change of the conversation. */
const fileOf = ({ folder }: TranscriptFile): string => join(folder, 'archived.json');

/** undefined for one that never was archived. `lastPrompt`: a prompt takes a conversation out of the archive. */
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
  const mark = { archived, at: new Date().toISOString(), by: 'sdk' };
  await writeFile(fileOf(file), JSON.stringify(mark), { mode: 0o600 });
}

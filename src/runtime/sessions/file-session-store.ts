import { appendFile, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuntimeSessionStore, SessionEntry, SessionKey } from './session-store.js';

/**
 * One file per conversation, one line per entry, appended as it is said. A crash loses at most the line that was being
 * written; a line that was cut off is passed over when the file is read.
 */
export function fileSessionStore(directory: string): RuntimeSessionStore {
  const folderOf = (cwd: string): string => join(directory, cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  const pathOf = ({ cwd, sessionId }: SessionKey): string => join(folderOf(cwd), `${sessionId}.jsonl`);
  /** Files whose end was looked at. */
  const known = new Set<string>();
  return {
    append: async (key, entries) => {
      await mkdir(folderOf(key.cwd), { recursive: true, mode: 0o700 });
      const path = pathOf(key);
      const gap = known.has(path) || !(await isCutOff(path)) ? '' : '\n';
      known.add(path);
      await appendFile(path, gap + entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), {
        mode: 0o600,
      });
    },
    load: async (key) => {
      try {
        return parse(await readFile(pathOf(key), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    latest: async (cwd) => {
      const names = await readdir(folderOf(cwd)).catch(() => []);
      const files = await Promise.all(
        names
          .filter((name) => name.endsWith('.jsonl'))
          .map(async (name) => ({ name, at: (await stat(join(folderOf(cwd), name))).mtimeMs })),
      );
      return files.sort((left, right) => right.at - left.at)[0]?.name.slice(0, -'.jsonl'.length);
    },
  };
}

/** After a crash the last line may have no end; what is written next must not become a part of it. */
async function isCutOff(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    if (size === 0) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() !== '\n';
  } finally {
    await file.close();
  }
}

function parse(text: string): SessionEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as SessionEntry];
    } catch {
      return [];
    }
  });
}

import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clock, unref } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { FileFeed, Inspector } from './inspector-types.js';

interface Watched {
  readonly feed: FileFeed;
  size: number;
}

export interface FolderWatch {
  /** Resolves when everything is taken in that is written by now. */
  look(): Promise<void>;
  /** Writes the spans that agents reported into the recordings that have ended. */
  keepSpans(): Promise<void>;
  close(): Promise<void>;
}

/** Shows the recordings of a folder, each while it is being written. Those that were there before are not shown. */
export function watchFolder(folder: string, inspector: Pick<Inspector, 'addFile'>): FolderWatch {
  const before = new Set(readdirSync(folder));
  const watched = new Map<string, Watched>();
  let looking: Promise<void> | undefined;
  let isChanged = false;
  let isClosed = false;

  const lookAll = async (): Promise<void> => {
    do {
      isChanged = false;
      await look(folder, before, watched, inspector);
    } while (isChanged && !isClosed);
    looking = undefined;
  };
  const changed = (): void => {
    isChanged = true;
    looking ??= lookAll();
  };
  const lookNow = async (): Promise<void> => {
    await looking;
    changed();
    await looking;
  };
  const watcher = watcherOf(folder, changed);
  const timer = unref(clock.setInterval(changed, LIMITS.tapePollMs));
  return {
    look: lookNow,
    keepSpans: async () => {
      for (const { feed } of watched.values()) await feed.keepSpans();
    },
    close: async () => {
      clock.clearInterval(timer);
      watcher?.close();
      isClosed = true;
      await looking;
    },
  };
}

/** Undefined where the system cannot watch; then only the regular look tells. */
function watcherOf(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, changed).on('error', () => {});
  } catch {
    return undefined;
  }
}

async function look(
  folder: string,
  before: ReadonlySet<string>,
  watched: Map<string, Watched>,
  inspector: Pick<Inspector, 'addFile'>,
): Promise<void> {
  // Their names begin with the time.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tape')).sort();
  for (const name of names) {
    if (before.has(name)) continue;
    const path = join(folder, name);
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    // An empty one has no head yet, and may never have one.
    if (size === 0) continue;
    const known = watched.get(name) ?? { feed: inspector.addFile(name, path), size: 0 };
    watched.set(name, known);
    if (size === known.size) continue;
    known.size = size;
    await known.feed.grown();
  }
}

import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors write a file in several steps; the last one counts. */
const QUIET_MS = 80;
const SCRIPT = /\.(?:[mc]?[jt]s|json)$/;

export interface WatchEvents {
  changed(): void;
  /** Changes of this folder will not be seen. */
  failed(folder: string, error: Error): void;
}

/** Notices when one of its files changes. Folders are watched, because many editors replace a file by another one. */
export class WatchedFiles {
  readonly #events: WatchEvents;
  readonly #folders = new Map<string, { watcher: FSWatcher; names: Set<string> }>();
  #timer: NodeJS.Timeout | undefined;
  #wantsAny = false;

  constructor(events: WatchEvents) {
    this.#events = events;
  }

  /** Adds files. `any`: every script in their folders counts, because one that is missing may be added. */
  watch(files: Iterable<string>, { any }: { any: boolean }): void {
    this.#wantsAny = any;
    for (const file of files) {
      const folder = dirname(file);
      const known = this.#folders.get(folder);
      if (known === undefined) this.#open(folder, basename(file));
      else known.names.add(basename(file));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #open(folder: string, name: string): void {
    const names = new Set([name]);
    const failed = (error: Error): void => {
      this.#folders.get(folder)?.watcher.close();
      this.#folders.delete(folder);
      this.#events.failed(folder, error);
    };
    try {
      const watcher = watch(folder, (_, changed) => {
        if (changed === null || names.has(changed) || (this.#wantsAny && SCRIPT.test(changed))) this.#soon();
      });
      watcher.on('error', failed);
      this.#folders.set(folder, { watcher, names });
    } catch (error) {
      failed(error as Error);
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#events.changed(), QUIET_MS);
  }
}

import { shortPath } from '../mcp/server-text.js';
import type { Screen } from '../terminal/screen.js';
import type { FreshTools } from '../tools-file/fresh-tools.js';
import { WatchedFiles } from '../tools-file/watched-files.js';
import type { Playground } from './playground.js';

/** Loads the tools of a playground again when their file changes, or something that it imports. */
export class WatchedTools {
  readonly #playground: Playground;
  readonly #tools: FreshTools;
  readonly #files: WatchedFiles;

  constructor(playground: Playground, tools: FreshTools, screen: Screen) {
    this.#playground = playground;
    this.#tools = tools;
    this.#files = new WatchedFiles({
      changed: () => void this.reload(),
      failed: (folder, { message }) =>
        screen.note(
          screen.paint.yellow(`! Changes in ${shortPath(folder)} are not seen (${message}). Type /reload.`),
        ),
    });
    this.#watch();
  }

  /** Resolves when it is done, well or not. */
  async reload(): Promise<void> {
    await this.#playground.reload();
    this.#watch();
  }

  close(): void {
    this.#files.close();
  }

  /** A file that could not be loaded may need one that is not there yet. */
  #watch(): void {
    this.#files.watch(this.#tools.files, { any: this.#playground.hasProblem });
  }
}

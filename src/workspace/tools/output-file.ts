import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Workspace } from '../workspace.js';
import { joined } from './bytes.js';

const CUT = new TextEncoder().encode('\n[The rest of the output was not kept.]\n');

/** A file that grows while a command runs. What is beyond its bounds is left out. */
export class OutputFile {
  readonly #workspace: Workspace;
  readonly #path: string;
  readonly #maxBytes: number;
  /** Not written yet; where nothing can be added to a file, everything. */
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #isNew = true;
  #writing: Promise<void> = Promise.resolve();
  #later: Timer | undefined;

  constructor(workspace: Workspace, path: string) {
    this.#workspace = workspace;
    this.#path = path;
    this.#maxBytes = workspace.append === undefined ? LIMITS.rewrittenOutputBytes : LIMITS.savedOutputBytes;
  }

  /** Resolves when there is room for more. Rejects if it could not be written. */
  add(chunk: Uint8Array): Promise<void> {
    const room = this.#maxBytes - this.#bytes;
    this.#bytes += chunk.length;
    if (room > 0) this.#parts.push(chunk.subarray(0, room));
    if (room > 0 && chunk.length > room) this.#parts.push(CUT);
    if (this.#workspace.append !== undefined) return this.written();
    this.#later ??= clock.setTimeout(() => void this.written().catch(() => {}), LIMITS.rewriteOutputMs);
    return Promise.resolve();
  }

  /** Resolves when everything that was added is in the file. */
  written(): Promise<void> {
    clock.clearTimeout(this.#later);
    this.#later = undefined;
    const writing = this.#writing.then(() => this.#write());
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(): Promise<void> {
    const workspace = this.#workspace;
    const parts = this.#parts;
    if (parts.length === 0 && !this.#isNew) return;
    if (workspace.append === undefined) await workspace.write(this.#path, joined(...parts));
    else {
      this.#parts = [];
      await workspace.append(this.#path, joined(...parts));
    }
    this.#isNew = false;
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetDirectory, watchDirectory } from '../../protocol/transport/process/process-group.js';

/**
 * Files that only this user can read, for what must not appear on a command line. Deleted by `remove`, and
 * when the host dies.
 */
export class PrivateFiles {
  #directory: string | undefined;

  write(name: string, content: string): string {
    // mkdtemp creates the directory with mode 0700.
    if (this.#directory === undefined) {
      this.#directory = mkdtempSync(join(tmpdir(), 'tenon-'));
      watchDirectory(this.#directory);
    }
    const path = join(this.#directory, name);
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return path;
  }

  remove(): void {
    if (this.#directory === undefined) return;
    const directory = this.#directory;
    this.#directory = undefined;
    rmSync(directory, { recursive: true, force: true });
    forgetDirectory(directory);
  }
}

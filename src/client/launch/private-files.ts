import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files that only this user can read, for what must not stand on a command line. Gone after `remove`. */
export class PrivateFiles {
  #directory: string | undefined;

  write(name: string, content: string): string {
    // mkdtemp makes the directory with mode 0700.
    this.#directory ??= mkdtempSync(join(tmpdir(), 'tenon-'));
    const path = join(this.#directory, name);
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return path;
  }

  remove(): void {
    if (this.#directory === undefined) return;
    const directory = this.#directory;
    this.#directory = undefined;
    rmSync(directory, { recursive: true, force: true });
  }
}

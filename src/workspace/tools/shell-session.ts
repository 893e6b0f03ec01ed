import type { Workspace } from '../workspace.js';

/** The shell of one agent: the directory that it is in, and the commands that a call waits for. */
export class ShellSession {
  readonly #workspace: Workspace;
  readonly #additional: () => readonly string[];
  readonly #waitedFor = new Set<() => Promise<void>>();
  #cwd: string;

  constructor(workspace: Workspace, additionalDirectories: () => readonly string[]) {
    this.#workspace = workspace;
    this.#additional = additionalDirectories;
    this.#cwd = workspace.root;
  }

  /** Where the next command runs: the root again if the directory is gone. */
  async cwd(): Promise<string> {
    const { real, kind } = await this.#workspace.locate(this.#cwd);
    if (kind !== 'directory') this.#cwd = this.#workspace.root;
    else this.#cwd = real;
    return this.#cwd;
  }

  /** A command has ended elsewhere. Resolves with what the model must know about it. */
  async moved(to: string): Promise<string | undefined> {
    const { real, kind } = await this.#workspace.locate(to);
    if (kind !== 'directory') return undefined;
    if (await this.#isWithin(real)) {
      this.#cwd = real;
      return undefined;
    }
    this.#cwd = this.#workspace.root;
    return `The shell is back in ${this.#cwd}: ${real} is outside of the working directories.`;
  }

  async #isWithin(real: string): Promise<boolean> {
    const roots = [this.#workspace.root, ...this.#additional()];
    for (const root of roots) {
      const located = (await this.#workspace.locate(root)).real;
      if (real === located || real.startsWith(located.endsWith('/') ? located : `${located}/`)) return true;
    }
    return false;
  }

  /** Returns what takes it off the list again. */
  waitsFor(kill: () => Promise<void>): () => void {
    this.#waitedFor.add(kill);
    return () => void this.#waitedFor.delete(kill);
  }

  /** Resolves when nothing is left of the commands. */
  async close(): Promise<void> {
    await Promise.all([...this.#waitedFor].map((kill) => kill()));
  }
}

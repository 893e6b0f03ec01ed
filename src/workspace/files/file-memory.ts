import { readable } from './text-file.js';

/** What the model knows of a file. */
export interface Seen {
  /** Of its text as the model reads it. */
  readonly digest: string;
  /** The model has read all of that text in this conversation. */
  readonly isInContext: boolean;
}

/** More are forgotten, those first that were looked at longest ago: they have to be read again. */
const MOST_FILES = 2_000;

/** What one agent has seen of files, by their paths without links. */
export class FileMemory {
  readonly #seen = new Map<string, Seen>();

  get(real: string): Seen | undefined {
    return this.#seen.get(real);
  }

  /** `raw`: the text of the file as it is now. */
  async note(real: string, raw: string, isInContext: boolean): Promise<void> {
    const digest = await digestOf(raw);
    this.#seen.delete(real);
    this.#seen.set(real, { digest, isInContext });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_FILES && oldest !== undefined) this.#seen.delete(oldest);
  }

  forget(real: string): void {
    this.#seen.delete(real);
  }

  clear(): void {
    this.#seen.clear();
  }
}

/** Whether the file is another one than what was seen. */
export async function isOther(seen: Seen, raw: string): Promise<boolean> {
  return seen.digest !== (await digestOf(raw));
}

async function digestOf(raw: string): Promise<string> {
  const bytes = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(readable(raw)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { isRecord } from '../protocol/base/kinds.js';
import type { TapeBlock } from './tape-format.js';

/** The field of a reference. */
export const MARK = '$block';

/** Puts blocks back. The same block is the same object everywhere, so that memory is not spent twice either. */
export class BlockReader {
  readonly #known = new Map<string, unknown>();

  add({ id, value }: TapeBlock): void {
    this.#known.set(id, this.filled(value));
  }

  /** Throws with a sentence if a block is missing. */
  filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.filled(item));
    if (!isRecord(value)) return value;
    if (!(MARK in value)) return this.#fields(value);
    const id = value[MARK];
    if (id === null) return this.#fields(value.value as Record<string, unknown>);
    if (typeof id === 'string' && this.#known.has(id)) return this.#known.get(id);
    throw new Error(`it refers to a block ${JSON.stringify(id)}, which no line before it has`);
  }

  #fields(value: Record<string, unknown>): unknown {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.filled(item)]));
  }
}

import type { JsonRpcId } from '../mcp.js';

interface Entry<Value> {
  /** The id that the sender gave. */
  id: JsonRpcId;
  value: Value;
}

/** Open requests under ids of our own, which no two senders can share. */
export class IdMap<Value> {
  readonly #entries = new Map<JsonRpcId, Entry<Value>>();
  #next = 1;

  put(id: JsonRpcId, value: Value): number {
    const own = this.#next++;
    this.#entries.set(own, { id, value });
    return own;
  }

  get(own: JsonRpcId): Entry<Value> | undefined {
    return this.#entries.get(own);
  }

  /** Removes it: an answer is given once. */
  take(own: JsonRpcId): Entry<Value> | undefined {
    const entry = this.#entries.get(own);
    this.#entries.delete(own);
    return entry;
  }

  /** Our id of a sender's request; the newest where a sender used its id twice. */
  find(id: JsonRpcId, where: (value: Value) => boolean): JsonRpcId | undefined {
    const found = [...this.#entries].filter(([, entry]) => entry.id === id && where(entry.value));
    return found.at(-1)?.[0];
  }

  entries(): Entry<Value>[] {
    return [...this.#entries.values()];
  }

  idsWhere(matches: (value: Value) => boolean): JsonRpcId[] {
    return [...this.#entries].filter(([, { value }]) => matches(value)).map(([own]) => own);
  }

  clear(): void {
    this.#entries.clear();
  }
}

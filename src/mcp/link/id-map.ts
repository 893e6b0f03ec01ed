import type { JsonRpcId } from '../types.js';

interface Entry<Value> {
  /** The sender's own id. */
  id: JsonRpcId;
  value: Value;
}

/** Open requests under our own ids, which are unique across senders. */
export class IdMap<Value> {
  readonly #entries = new Map<JsonRpcId, Entry<Value>>();
  readonly #newId: () => JsonRpcId;

  constructor(newId: () => JsonRpcId) {
    this.#newId = newId;
  }

  put(id: JsonRpcId, value: Value): JsonRpcId {
    const ownId = this.#newId();
    this.#entries.set(ownId, { id, value });
    return ownId;
  }

  get(ownId: JsonRpcId): Entry<Value> | undefined {
    return this.#entries.get(ownId);
  }

  /** Also removes it: a request is answered once. */
  take(ownId: JsonRpcId): Entry<Value> | undefined {
    const entry = this.#entries.get(ownId);
    this.#entries.delete(ownId);
    return entry;
  }

  /** Our id of a sender's request; the newest if the sender used its id twice. */
  find(id: JsonRpcId, where: (value: Value) => boolean): JsonRpcId | undefined {
    const found = [...this.#entries].filter(([, entry]) => entry.id === id && where(entry.value));
    return found.at(-1)?.[0];
  }

  entries(): Entry<Value>[] {
    return [...this.#entries.values()];
  }

  idsWhere(matches: (value: Value) => boolean): JsonRpcId[] {
    return [...this.#entries].filter(([, { value }]) => matches(value)).map(([ownId]) => ownId);
  }

  clear(): void {
    this.#entries.clear();
  }
}

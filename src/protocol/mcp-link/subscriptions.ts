/** Which clients have subscribed to which resources of a server that they share. */
export class Subscriptions<Client> {
  readonly #subscribers = new Map<string, Set<Client>>();

  add(uri: string, client: Client): void {
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    this.#subscribers.set(uri, subscribers.add(client));
  }

  of(uri: string): readonly Client[] {
    return [...(this.#subscribers.get(uri) ?? [])];
  }

  /** True when others are still subscribed. */
  remove(uri: string, client: Client): boolean {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.delete(client);
    if (subscribers !== undefined && subscribers.size > 0) return true;
    this.#subscribers.delete(uri);
    return false;
  }

  /** The client has left. Returns what nobody is subscribed to any more. */
  removeClient(client: Client): string[] {
    const own = [...this.#subscribers].filter(([, subscribers]) => subscribers.has(client));
    return own.map(([uri]) => uri).filter((uri) => !this.remove(uri, client));
  }

  clear(): void {
    this.#subscribers.clear();
  }
}

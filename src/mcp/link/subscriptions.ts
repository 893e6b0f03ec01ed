/** Which clients of a shared server have subscribed to which resources. */
export class Subscriptions<Client> {
  readonly #subscribers = new Map<string, Set<Client>>();

  add(uri: string, client: Client): void {
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    this.#subscribers.set(uri, subscribers.add(client));
  }

  clientsOf(uri: string): readonly Client[] {
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

  /** Removes a client that has left. Returns the resources without a subscriber. */
  removeClient(client: Client): string[] {
    const subscribed = [...this.#subscribers].filter(([, subscribers]) => subscribers.has(client));
    return subscribed.map(([uri]) => uri).filter((uri) => !this.remove(uri, client));
  }

  clear(): void {
    this.#subscribers.clear();
  }
}

import { messageOf } from '../../protocol/base/errors.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import type { Topic } from './port/storage.js';

/** Topics as texts, which is what goes over the wire between programs. */
export function keyOf(topic: Topic): string {
  if (topic.kind === 'queue') return 'queue';
  if (topic.kind !== 'approvals') return JSON.stringify([topic.kind, topic.tenant, topic.session]);
  return JSON.stringify(topic.tenant === undefined ? ['approvals'] : ['approvals', topic.tenant]);
}

/** Who watches what in this process. */
export class Watchers {
  readonly #watchers = new Map<string, { topic: Topic; callbacks: Set<() => void> }>();

  add(topic: Topic, onChange: () => void): () => void {
    const key = keyOf(topic);
    const { callbacks } = this.#watchers.get(key) ?? { callbacks: new Set() };
    this.#watchers.set(key, { topic, callbacks });
    // The same function may watch twice, and then ends twice.
    const callback = (): void => onChange();
    callbacks.add(callback);
    return () => {
      callbacks.delete(callback);
      if (callbacks.size === 0 && this.#watchers.get(key)?.callbacks === callbacks)
        this.#watchers.delete(key);
    };
  }

  /** A watcher that throws must not fail the call that made the change. */
  tell(key: string): void {
    for (const callback of [...(this.#watchers.get(key)?.callbacks ?? [])]) {
      try {
        callback();
      } catch (error) {
        emitWarning(`A watcher of the host's storage has thrown: ${messageOf(error)}`, {
          type: 'TenonWarning',
        });
      }
    }
  }

  topics(): Topic[] {
    return [...this.#watchers.values()].map(({ topic }) => topic);
  }

  get isEmpty(): boolean {
    return this.#watchers.size === 0;
  }

  clear(): void {
    this.#watchers.clear();
  }
}

/**
 * One listener per signal, however many conversations wait for it: a thousand queries on one AbortController
 * are a set of a thousand callbacks, not a warning about a leak.
 */
interface Hub {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

const hubs = new WeakMap<AbortSignal, Hub>();

/** Calls back when the signal aborts, at once if it has. Returns how to stop listening. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const hub = hubs.get(signal) ?? newHub(signal);
  hub.callbacks.add(callback);
  return () => {
    if (!hub.callbacks.delete(callback) || hub.callbacks.size > 0) return;
    signal.removeEventListener('abort', hub.fire);
    hubs.delete(signal);
  };
}

function newHub(signal: AbortSignal): Hub {
  const callbacks = new Set<() => void>();
  const fire = (): void => {
    hubs.delete(signal);
    for (const each of callbacks) each();
  };
  const hub = { callbacks, fire };
  hubs.set(signal, hub);
  signal.addEventListener('abort', fire, { once: true });
  return hub;
}

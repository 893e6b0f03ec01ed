/**
 * One listener per signal, however many conversations share it: a thousand queries on one AbortController
 * must not trigger Node's warning about a listener leak.
 */
interface Hub {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

const hubs = new WeakMap<AbortSignal, Hub>();

/**
 * Calls back when the signal aborts, or immediately if it already has. Returns a function that stops
 * listening.
 */
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

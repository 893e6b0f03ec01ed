type Callback = (code: number) => void;

const callbacks = new Set<Callback>();

/**
 * Calls back when the program exits by itself or by `process.exit()`. One listener for all, because a hundred would be
 * taken for a leak. Returns a function that withdraws it.
 */
export function atExit(callback: Callback): () => void {
  if (callbacks.size === 0) process.on('exit', callAll);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) process.removeListener('exit', callAll);
  };
}

function callAll(code: number): void {
  for (const callback of callbacks) callback(code);
}

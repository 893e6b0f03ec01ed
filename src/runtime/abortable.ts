/** The promise, or a rejection with the signal's reason, whichever comes first. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // When the other one wins, nobody hears of this one's failure.
  promise.catch(() => {});
  aborted.catch(() => {});
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The events of a stream until the signal is aborted, also when whoever makes them does not look at the signal. */
export async function* abortable<Event>(
  events: AsyncIterable<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event, void> {
  signal.throwIfAborted();
  const iterator = events[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await untilAborted(iterator.next(), signal);
      ended = done === true;
      if (ended) return;
      yield value;
      signal.throwIfAborted();
    }
  } finally {
    // Not awaited: a generator that hangs ends no sooner for being told to.
    if (!ended) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RecorderCall, Recorders, RunRecorder } from '../protocol/transport/run-events.js';
import { newRecorder } from './recorder.js';

const RECORDERS: Recorders = 'tenon:recorders';

/** Records every conversation of this process that begins from now on. */
export function recordAll(path: string, warn: (text: string) => void): void {
  recordEach(() => newRecorder(path, { warn, debug: () => {} }));
}

/**
 * Gives a recorder to every conversation that begins from now on, also to those of another copy of Tenon in this
 * process. Returns a function that ends it for conversations to come.
 */
export function recordEach(create: () => RunRecorder): () => void {
  const listener = (message: unknown): void => (message as RecorderCall).add(create());
  subscribe(RECORDERS, listener);
  return () => void unsubscribe(RECORDERS, listener);
}

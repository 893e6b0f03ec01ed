/** A set-up file: Vitest's own waits last a second unless told otherwise, which is a guess about speed. */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.js';

type Limit = number | { timeout?: number; interval?: number } | undefined;

const { waitFor, waitUntil } = vi;
const isPatient = Symbol.for('tenon.tests.patient');
// Files that share a process come by here more than once.
if (!(isPatient in waitFor)) {
  vi.waitFor = Object.assign(
    ((callback, limit) => waitFor(callback, patient(limit))) satisfies typeof waitFor,
    { [isPatient]: true },
  );
  vi.waitUntil = (callback, limit) => waitUntil(callback, patient(limit));
}

function patient(limit: Limit): { timeout: number; interval?: number } {
  const given = typeof limit === 'number' ? { timeout: limit } : limit;
  return { ...given, timeout: Math.max(given?.timeout ?? 0, PATIENCE_MS) };
}

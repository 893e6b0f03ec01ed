// @ts-check
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

/**
 * @typedef {import('../cases.mjs').Case} Case
 * @typedef {Map<string, Map<string, Record<string, number>[]>>} Measured by case and subject, one entry for each round
 */

/** No measurement takes longer, unless something hangs: on a busy machine the longest takes half a minute. */
const TIMEOUT_MS = 180_000;

/**
 * Runs all cases in turns: official, floor, Tenon, and again, each in a process of its own.
 *
 * @param {readonly Case[]} cases
 * @param {number} rounds
 * @param {(done: number, all: number, what: string) => void} onProgress
 * @returns {Promise<Measured>}
 */
export async function measureAll(cases, rounds, onProgress) {
  const all = cases.reduce((sum, { subjects }) => sum + subjects.length, 0) * rounds;
  /** @type {Measured} */
  const measured = new Map();
  let done = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const each of cases) {
      for (const subject of each.subjects) {
        onProgress(done, all, `round ${round + 1} of ${rounds}: ${each.name}, ${subject}`);
        const bySubject = measured.get(each.name) ?? new Map();
        measured.set(each.name, bySubject);
        bySubject.set(subject, [...(bySubject.get(subject) ?? []), await measureOnce(each, subject)]);
        done += 1;
      }
    }
  }
  onProgress(done, all, 'done');
  return measured;
}

/** Those that look at the heap. Any flag of V8 costs the others: Node's own code is then compiled anew at each start. */
const NEEDS_COLLECTION = ['idle', 'sequence', 'conversations', 'hostIdle'];

/**
 * @param {Case} each
 * @param {string} subject
 * @returns {Promise<Record<string, number>>}
 */
async function measureOnce({ name, measurement, parameters = {} }, subject) {
  const host = join(import.meta.dirname, '..', 'host.mjs');
  const flags = NEEDS_COLLECTION.includes(measurement) ? ['--expose-gc'] : [];
  const args = [...flags, host, subject, measurement, JSON.stringify(parameters)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
    return JSON.parse(stdout);
  } catch (error) {
    const { stderr = '', killed = false } = /** @type {{ stderr?: string, killed?: boolean }} */ (error);
    const why = killed ? `it took longer than ${TIMEOUT_MS / 1000} s` : stderr.trim();
    throw new Error(`The measurement ${name} of ${subject} failed: ${why}`, { cause: error });
  }
}

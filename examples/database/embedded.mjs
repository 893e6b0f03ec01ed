// PostgreSQL itself, compiled to WebAssembly, in its own thread. It has no clock there, so statement_timeout
// has no effect; a statement that takes too long is ended with its thread, and the next question starts a new
// one.

import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { LIMITS } from './read-only.mjs';

/**
 * @typedef {{ result?: import('./database.mjs').Rows, error?: Record<string, string | undefined> & { message: string } }} Reply
 */

/** @returns {Promise<import('./database.mjs').Database>} */
export async function openEmbedded() {
  const seed = await readFile(new URL('seed.sql', import.meta.url), 'utf8');
  const start = () => startWorker(seed);
  let worker = start();
  await worker;
  /** Statements run one after another: there is only one thread. @type {Promise<unknown>} */
  let last = Promise.resolve();

  /**
   * @param {string} sql
   * @param {import('./read-only.mjs').Limits} limits
   */
  const ask = async (sql, limits) => {
    const current = await worker;
    const reply = await replyOf(current, sql, limits);
    if (reply === undefined) {
      worker = start();
      worker.catch(() => {});
      await current.terminate();
      throw new Error(
        `canceling statement due to statement timeout: it took more than ${limits.timeoutMs} ms`,
      );
    }
    if (reply.error !== undefined) throw Object.assign(new Error(reply.error.message), reply.error);
    return /** @type {import('./database.mjs').Rows} */ (reply.result);
  };
  return {
    name: 'an embedded PostgreSQL (PGlite)',
    ask: (sql, limits) => {
      const answer = last.then(() => ask(sql, { ...LIMITS, ...limits }));
      last = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      await (await worker).terminate();
    },
  };
}

/**
 * @param {string} seed
 * @returns {Promise<Worker>}
 */
async function startWorker(seed) {
  const worker = new Worker(new URL('embedded-worker.mjs', import.meta.url), {
    workerData: { seed },
  });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return worker;
}

/**
 * Undefined if it did not arrive in time.
 *
 * @param {Worker} worker
 * @param {string} sql
 * @param {import('./read-only.mjs').Limits} limits
 * @returns {Promise<Reply | undefined>}
 */
function replyOf(worker, sql, limits) {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError);
    };
    const onMessage = (/** @type {Reply} */ reply) => {
      settle();
      resolve(reply);
    };
    const onError = (/** @type {Error} */ error) => {
      settle();
      reject(error);
    };
    const timer = setTimeout(() => {
      settle();
      resolve(undefined);
    }, limits.timeoutMs);
    worker.on('message', onMessage).on('error', onError);
    worker.postMessage({ sql, limits });
  });
}

// One question and what comes of it, kept by a host: it goes on wherever the program was killed.

import { randomUUID } from 'node:crypto';
import { TENANT } from './desk.mjs';

/** A person takes longer; whoever waits in memory for them takes room. */
export const HOLD_MS = 1_000;

/**
 * What was begun goes on before anything else is asked.
 *
 * @param {import('tenon/host').Host} host
 * @param {string} question
 * @returns {Promise<{ ref: import('tenon/host').SessionRef, isOld: boolean }>}
 */
export async function begin(host, question) {
  const unfinished = (await host.sessions({ tenant: TENANT })).find(({ state }) => state !== 'idle');
  if (unfinished === undefined) {
    const ref = { tenant: TENANT, session: randomUUID() };
    await host.send(ref, question);
    return { ref, isOld: false };
  }
  const ref = { tenant: TENANT, session: unfinished.session };
  if (unfinished.state === 'parked') await host.unpark(ref);
  return { ref, isOld: true };
}

/**
 * Reads until the question is answered.
 *
 * @param {import('tenon/host').Host} host
 * @param {import('tenon/host').SessionRef} ref
 * @param {object} listener
 * @param {(message: import('tenon').SDKMessage) => void} listener.show
 * @param {() => Promise<void>} listener.onQuestion somebody is asked, or no longer
 * @param {(reason: string) => void} listener.onAgain what was shown is void, and told anew
 * @returns {Promise<import('tenon').SDKResultMessage | undefined>} undefined: the host was closed before
 */
export async function follow(host, ref, { show, onQuestion, onAgain }) {
  /** @type {import('tenon').SDKResultMessage | undefined} */
  let result;
  for await (const { message } of host.events(ref)) {
    if (message.type !== 'host') {
      if (message.type === 'result') result = message;
      show(message);
    } else if (message.subtype === 'done' && result !== undefined) {
      return result;
    } else if (message.subtype === 'parked') {
      throw new Error(
        `The conversation stands still: ${message.reason} Start the program again to try again.`,
      );
    } else {
      if (message.subtype === 'resumed') onAgain(message.reason);
      await onQuestion();
    }
  }
  return undefined;
}

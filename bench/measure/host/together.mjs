// @ts-check
/** Many conversations at once, for Tenon's host and its peers alike. */
import process from 'node:process';

/**
 * A turn of each: a prompt, an answer with one call of a tool, its result, the last answer. Resolves when all of it is stored.
 *
 * @typedef {(conversation: number) => Promise<void>} Turn
 *
 * @typedef {object} Subject
 * @property {Turn} turn
 * @property {() => number} calls how often the tool ran
 * @property {() => Promise<void>} close
 */

/** What is not counted: the first turns meet code that is not compiled, and conversations that do not exist. */
const WARM_TURNS = 4;

/**
 * So many turns of so many conversations, which go on one after another in each and at the same time in all.
 *
 * @param {Subject} subject
 * @param {{ conversations: number, number: number }} parameters
 * @param {() => number} [databaseCpu]
 */
export async function turnsTogether(subject, { conversations, number }, databaseCpu = () => 0) {
  await together(subject.turn, conversations, conversations * WARM_TURNS);
  const before = { calls: subject.calls(), cpu: process.cpuUsage(), database: databaseCpu() };
  const started = performance.now();
  await together(subject.turn, conversations, number);
  const took = performance.now() - started;
  const { user, system } = process.cpuUsage(before.cpu);
  const calls = subject.calls() - before.calls;
  if (calls !== number) throw new Error(`The tool ran ${calls} times in ${number} turns.`);
  return {
    perSecond: (number / took) * 1000,
    cpu: (user + system) / 1000 / number,
    databaseCpu: (databaseCpu() - before.database) / number,
  };
}

/**
 * @param {Turn} turn
 * @param {number} conversations
 * @param {number} number
 */
export async function together(turn, conversations, number) {
  let begun = 0;
  const one = async (/** @type {number} */ conversation) => {
    while (begun < number) {
      begun += 1;
      await turn(conversation);
    }
  };
  await Promise.all(Array.from({ length: conversations }, (_, index) => one(index)));
}

// @ts-check
/** Turns on a PostgreSQL server of their own: Tenon's host, and what peers make of the same work. */
import { startPostgres } from '../../lib/postgres.mjs';
import { open, talking } from './hosted.mjs';
import { turnsTogether } from './together.mjs';

/** @type {Record<string, (connectionString: string) => Promise<import('./together.mjs').Subject>>} */
const SUBJECTS = {
  host: async (connectionString) => {
    const { host, calls } = open({ connectionString });
    return { turn: talking(host), calls, close: () => host.close() };
  },
  langgraph: async (connectionString) =>
    (await import('../../peers/langgraph.mjs')).langgraph(connectionString),
  mastra: async (connectionString) => (await import('../../peers/mastra.mjs')).mastra(connectionString),
};

/**
 * @param {string} name
 * @param {{ conversations: number, number: number }} parameters
 */
export async function hostTurns(name, parameters) {
  const server = await startPostgres();
  const subject = await SUBJECTS[name]?.(server.connectionString);
  if (subject === undefined) throw new Error(`There is no subject ${name}.`);
  const numbers = await turnsTogether(subject, parameters, server.cpu);
  await subject.close();
  await server.stop();
  return numbers;
}

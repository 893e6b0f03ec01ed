import { openEmbedded } from './embedded.mjs';
import { openServer } from './server.mjs';

/**
 * @typedef {{ columns: string[], rows: Record<string, unknown>[], isCut: boolean }} Rows
 * @typedef {import('./read-only.mjs').Limits} Limits
 * @typedef {object} Database
 * @property {string} name
 * @property {(sql: string, limits?: Partial<Limits>) => Promise<Rows>} ask read-only, bounded in rows and time
 * @property {() => Promise<void>} close
 */

/**
 * The server that `url` names, or a PostgreSQL in this process with a small shop in it.
 *
 * @param {string | undefined} url
 * @returns {Promise<Database>}
 */
export function openDatabase(url) {
  return url ? openServer(url) : openEmbedded();
}

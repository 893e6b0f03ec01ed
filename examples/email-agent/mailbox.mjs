import { fileURLToPath } from 'node:url';
import { openImap } from './imap.mjs';
import { openMbox } from './mbox.mjs';

/**
 * @typedef {import('./mail.mjs').Summary} Summary
 * @typedef {import('./mail.mjs').Mail} Mail
 */

/**
 * All criteria must match. `words` may occur anywhere in the mail, in any order.
 *
 * @typedef {object} Criteria
 * @property {string | undefined} [words]
 * @property {string | undefined} [from]
 * @property {Date | undefined} [since]
 * @property {Date | undefined} [before]
 * @property {boolean | undefined} [hasAttachment]
 */

/**
 * Reading changes nothing: mails stay unread, and nothing is moved or deleted.
 *
 * @typedef {object} Mailbox
 * @property {string} name
 * @property {(limit: number, unreadOnly: boolean) => Promise<Summary[]>} inbox newest first
 * @property {(criteria: Criteria, limit: number) => Promise<Summary[]>} search newest first
 * @property {(id: string) => Promise<Mail | undefined>} read
 * @property {() => Promise<void>} close
 */

/**
 * Opens an `imap:` or `imaps:` URL, a file in mbox format, or by default the mailbox included in the example.
 *
 * @param {string | undefined} place
 * @returns {Promise<Mailbox>}
 */
export function openMailbox(place) {
  if (place !== undefined && /^imaps?:/i.test(place)) return openImap(place);
  return openMbox(place ?? fileURLToPath(new URL('mailbox.mbox', import.meta.url)));
}

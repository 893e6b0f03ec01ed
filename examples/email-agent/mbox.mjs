// A mailbox in a single file, the traditional format of Unix: each mail begins with a line "From sender
// date".

import { readFile } from 'node:fs/promises';
import MiniSearch from 'minisearch';
import { parseMail } from './mail.mjs';

/**
 * @param {string} file
 * @returns {Promise<import('./mailbox.mjs').Mailbox>}
 */
export async function openMbox(file) {
  // Latin-1 keeps every byte unchanged: each part of a mail has its own encoding.
  const sources = splitMbox(await readFile(file, 'latin1'));
  const mails = await Promise.all(
    sources.map((source, index) =>
      parseMail(String(index + 1), Buffer.from(source, 'latin1'), !/^Status: \w*R/im.test(headersOf(source))),
    ),
  );
  const byId = new Map(mails.map((mail) => [mail.id, mail]));
  const newestFirst = mails.toSorted((a, b) => b.date.localeCompare(a.date));
  const index = new MiniSearch({
    fields: ['subject', 'from', 'text', 'files'],
    searchOptions: { combineWith: 'AND', prefix: true },
  });
  index.addAll(mails.map((mail) => ({ ...mail, files: mail.files.join(' ') })));

  return {
    name: `the mbox file ${file}`,
    inbox: async (limit, unreadOnly) =>
      newestFirst.filter(({ isUnread }) => isUnread || !unreadOnly).slice(0, limit),
    search: async ({ words, from, since, before, hasAttachment }, limit) => {
      const hits = words === undefined ? undefined : new Set(index.search(words).map(({ id }) => id));
      return newestFirst
        .filter((mail) => hits === undefined || hits.has(mail.id))
        .filter((mail) => from === undefined || mail.from.toLowerCase().includes(from.toLowerCase()))
        .filter((mail) => since === undefined || new Date(mail.date) >= since)
        .filter((mail) => before === undefined || new Date(mail.date) < before)
        .filter((mail) => hasAttachment === undefined || mail.files.length > 0 === hasAttachment)
        .slice(0, limit);
    },
    read: async (id) => byId.get(id),
    close: async () => {},
  };
}

/**
 * The mails of an mbox file. Lines in a mail that begin with "From " are stored with a ">" in front.
 *
 * @param {string} text
 */
export function splitMbox(text) {
  return text
    .replaceAll('\r\n', '\n')
    .split(/(?:^|(?<=\n\n))From \S+ .*\d{4}\n/)
    .slice(1)
    .map((source) => source.replace(/\n\n$/, '\n').replaceAll(/^>(>*From )/gm, '$1'));
}

/** @param {string} source */
function headersOf(source) {
  return source.slice(0, source.indexOf('\n\n'));
}

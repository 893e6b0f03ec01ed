// A mailbox on an IMAP server. The server itself lists and searches; a mail is fetched when it is read.

import { ImapFlow } from 'imapflow';
import { addressOf, parseMail, UNNAMED } from './mail.mjs';

/** Only the newest hits are checked: a mailbox may have a hundred thousand mails. */
const MAX_CHECKED = 200;

/**
 * @param {string} place such as imaps://user:password@host/INBOX
 * @returns {Promise<import('./mailbox.mjs').Mailbox>}
 */
export async function openImap(place) {
  const url = new URL(place);
  const folder = decodeURIComponent(url.pathname.slice(1)) || 'INBOX';
  /** @type {ImapFlow | undefined} */
  let client;

  const connected = async () => {
    if (client?.usable) return client;
    client = newClient(url);
    await client.connect().catch((error) => {
      const reason = error.responseText ?? error.message;
      throw new Error(`The IMAP server at ${url.host} refused the connection: ${reason}. Check IMAP_URL.`);
    });
    return client;
  };
  /**
   * Opens the folder read-only, so that the server itself keeps mails unread.
   *
   * @template T
   * @param {(client: ImapFlow) => Promise<T>} work
   * @returns {Promise<T>}
   */
  const inFolder = async (work) => {
    const imap = await connected();
    const lock = await imap.getMailboxLock(folder, { readOnly: true });
    try {
      return await work(imap);
    } finally {
      lock.release();
    }
  };

  await connected();
  return {
    name: `the folder ${folder} on ${url.host}`,
    inbox: (limit, unreadOnly) =>
      inFolder(async (imap) => {
        const uids = await find(imap, unreadOnly ? { seen: false } : { all: true });
        return summaries(imap, uids.slice(-limit));
      }),
    search: ({ words, from, since, before, hasAttachment }, limit) =>
      inFolder(async (imap) => {
        const common = {
          ...(from === undefined ? {} : { from }),
          ...(since === undefined ? {} : { sentSince: since }),
          ...(before === undefined ? {} : { sentBefore: before }),
        };
        // One search per word: IMAP searches for a text as a whole.
        const terms = words?.split(/\s+/).filter((word) => word !== '') ?? [];
        const found = await Promise.all(
          (terms.length === 0 ? [undefined] : terms).map((text) =>
            find(imap, { all: true, ...common, ...(text === undefined ? {} : { text }) }),
          ),
        );
        const [first = [], ...others] = found;
        const uids = first.filter((uid) => others.every((other) => other.includes(uid)));
        const listed = await summaries(imap, uids.slice(-MAX_CHECKED));
        return listed
          .filter(({ files }) => hasAttachment === undefined || files.length > 0 === hasAttachment)
          .slice(0, limit);
      }),
    read: (id) =>
      inFolder(async (imap) => {
        if (!/^\d+$/.test(id)) return undefined;
        const mail = await imap.fetchOne(id, { source: true, flags: true }, { uid: true });
        if (!mail || mail.source === undefined) return undefined;
        return parseMail(id, mail.source, !mail.flags?.has('\\Seen'));
      }),
    close: async () => {
      await client?.logout().catch(() => client?.close());
    },
  };
}

/** @param {URL} url */
function newClient(url) {
  const secure = url.protocol.toLowerCase() === 'imaps:';
  const client = new ImapFlow({
    host: url.hostname,
    port: Number(url.port) || (secure ? 993 : 143),
    secure,
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    logger: false,
    connectionTimeout: 10_000,
    socketTimeout: 5 * 60_000,
  });
  // A connection that breaks between two calls is reopened by the next; without a listener it would end the
  // program.
  client.on('error', () => {});
  return client;
}

/**
 * @param {ImapFlow} imap
 * @param {import('imapflow').SearchObject} query
 * @returns {Promise<number[]>} oldest first
 */
async function find(imap, query) {
  return (await imap.search(query, { uid: true })) || [];
}

/**
 * @param {ImapFlow} imap
 * @param {number[]} uids
 * @returns {Promise<import('./mail.mjs').Summary[]>} newest first
 */
async function summaries(imap, uids) {
  if (uids.length === 0) return [];
  const mails = await imap.fetchAll(
    uids,
    { envelope: true, flags: true, bodyStructure: true },
    { uid: true },
  );
  return mails
    .map(({ uid, envelope, flags, bodyStructure }) => ({
      id: String(uid),
      from: addressOf(envelope?.from?.[0] ?? {}),
      subject: envelope?.subject ?? '',
      date: envelope?.date === undefined ? '' : new Date(envelope.date).toISOString(),
      isUnread: !flags?.has('\\Seen'),
      files: filesIn(bodyStructure),
    }))
    .sort((a, b) => b.date.localeCompare(a.date));
}

/**
 * From the structure alone, without fetching the attachments.
 *
 * @param {import('imapflow').MessageStructureObject | undefined} part
 * @returns {string[]}
 */
function filesIn(part) {
  if (part === undefined) return [];
  if (part.childNodes !== undefined) return part.childNodes.flatMap(filesIn);
  if (part.disposition !== 'attachment') return [];
  return [part.dispositionParameters?.filename ?? part.parameters?.name ?? UNNAMED];
}

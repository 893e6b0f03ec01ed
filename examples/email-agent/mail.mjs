// A mail as the tools see it, wherever it is stored. A mail library parses its source.

import PostalMime from 'postal-mime';

export const UNNAMED = 'unnamed';

/**
 * @typedef {{ name: string, type: string, bytes: number }} Attachment
 * @typedef {{ id: string, from: string, subject: string, date: string, isUnread: boolean, files: string[] }} Summary
 * @typedef {Summary & { to: string[], text: string, attachments: Attachment[] }} Mail
 */

/**
 * @param {string} id
 * @param {string | Uint8Array} source
 * @param {boolean} isUnread
 * @returns {Promise<Mail>}
 */
export async function parseMail(id, source, isUnread) {
  const mail = await PostalMime.parse(source);
  return {
    id,
    from: mail.from === undefined ? '' : addressOf(mail.from),
    to: [...(mail.to ?? []), ...(mail.cc ?? [])].map(addressOf),
    subject: mail.subject ?? '',
    date: mail.date === undefined ? '' : new Date(mail.date).toISOString(),
    isUnread,
    files: mail.attachments.map(({ filename }) => filename ?? UNNAMED),
    attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? UNNAMED,
      type: mimeType,
      bytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
    })),
    text: (mail.text ?? textOfHtml(mail.html ?? '')).trim(),
  };
}

/** @param {{ name?: string | undefined, address?: string | undefined }} address */
export function addressOf({ name, address = '' }) {
  return name ? `${name} <${address}>` : address;
}

/** @type {Record<string, string>} */
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', deg: '°' };

/**
 * The text of a mail that has only HTML: good enough for a model, but not a browser.
 *
 * @param {string} html
 */
export function textOfHtml(html) {
  return html
    .replaceAll(/<(style|script|head)\b.*?<\/\1\s*>/gis, '')
    .replaceAll(/<br\s*\/?>|<\/(p|div|li|h\d|tr)\s*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

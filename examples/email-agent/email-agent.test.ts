import { readFileSync } from 'node:fs';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDovecot } from '../shared/programs.mjs';
import { backends, callTools, play } from '../shared/testing.js';
import { type ImapServer, PASSWORD, startDovecot } from './dovecot.js';
import { exampleWith } from './example.mjs';
import { parseMail, textOfHtml } from './mail.mjs';
import { type Mailbox, openMailbox } from './mailbox.mjs';
import { splitMbox } from './mbox.mjs';

const dovecot = findDovecot();
const source = readFileSync(new URL('mailbox.mbox', import.meta.url), 'latin1');
const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__email__${name}`, input });

function suite(open: () => Promise<Mailbox>): void {
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await open();
  });
  afterAll(() => mailbox?.close());
  // The tests share one mailbox, which must outlive each run.
  const example = exampleWith(async () => ({ ...mailbox, close: async () => {} }));

  describe.each(backends)('with the agent on %s', (backend) => {
    it('finds the answer in several mails (R34)', async () => {
      const { calls, answer } = await play(example, backend);
      expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
        ['email_getInbox', false],
        ['email_search', false],
        ['email_search', false],
        ['email_read', false],
        ['email_read', false],
        ['email_read', false],
      ]);
      expect(calls[0]?.text).toContain('Jörg Müller <jorg@company.example>: Stocktaking (unread)');
      expect(calls[2]?.text).toContain('[invoice-2026-0457.pdf, positions.csv]');
      expect(calls[5]?.text).toContain('Attachment: positions.csv (text/csv, 42 bytes)');
      expect(answer).toBe(
        'Nora wants to know by 20 November whether to build the six workbenches for 4,680 EUR. ' +
          'Before that, on 17 November, an invoice over 1,188.00 EUR is due.',
      );
    });

    it('answers bad input of each tool with an error that says what is wrong', async () => {
      const outcomes = await callTools(example, backend, [
        call('email_getInbox', { limit: 0 }),
        call('email_getInbox', { unreadOnly: 'perhaps' }),
        call('email_search', {}),
        call('email_search', { query: '   ' }),
        call('email_search', { since: 'last week' }),
        call('email_read', {}),
        call('email_read', { id: '4711' }),
        call('email_read', { id: '1:*' }),
        call('email_search', { query: 'zeppelin' }),
      ]);
      expect(outcomes.map(({ isError }) => isError)).toEqual([
        true,
        true,
        true,
        true,
        true,
        true,
        true,
        true,
        false,
      ]);
      expect(outcomes.map(({ text }) => text)).toEqual([
        expect.stringContaining('limit'),
        expect.stringContaining('unreadOnly'),
        expect.stringContaining('Give at least one of: query, from, since, before, hasAttachment'),
        expect.stringContaining('query'),
        expect.stringContaining('since'),
        expect.stringContaining('id'),
        expect.stringContaining("There is no mail with the id '4711'"),
        expect.stringContaining("There is no mail with the id '1:*'"),
        'No mail matches. Try fewer or other words.',
      ]);
    });
  });

  const subjects = (mails: readonly { subject: string }[]) => mails.map(({ subject }) => subject);

  it('lists the newest first, as many as asked for, or the unread ones', async () => {
    expect(subjects(await mailbox.inbox(2, false))).toEqual(['Stocktaking', 'URGENT: verify your account']);
    const all = await mailbox.inbox(50, false);
    expect(all).toHaveLength(7);
    expect(subjects(all)).toContain('Invoice 2026-0457 – oak boards');
    expect(await mailbox.inbox(50, true)).toHaveLength(4);
  });

  it('searches the whole text, through every encoding, and by sender, time and attachment', async () => {
    const found = async (criteria: Parameters<Mailbox['search']>[0]) =>
      subjects(await mailbox.search(criteria, 50));
    expect(await found({ words: 'Käsespätzle' })).toEqual(['Mittagessen am Donnerstag?']);
    expect(await found({ words: 'drawers 4,680' })).toEqual(['Re: Offer for the new workbenches']);
    expect(await found({ words: 'offer drawers' })).toEqual(['Re: Offer for the new workbenches']);
    expect(await found({ words: 'offer Käsespätzle' })).toEqual([]);
    expect(await found({ from: 'nora' })).toEqual([
      'Re: Offer for the new workbenches',
      'Offer for the new workbenches',
    ]);
    expect(await found({ hasAttachment: true, words: 'workbenches' })).toEqual([
      'Offer for the new workbenches',
    ]);
    expect(await found({ hasAttachment: false, words: 'workbenches' })).toEqual([
      'Re: Offer for the new workbenches',
    ]);
    expect(await found({ since: new Date('2026-11-07') })).toEqual([
      'Stocktaking',
      'URGENT: verify your account',
    ]);
    expect(await found({ before: new Date('2026-11-03') })).toEqual(['Offer for the new workbenches']);
    expect(await found({ words: 'strokes' })).toEqual(['This month: how to sharpen a plane']);
    expect(await mailbox.search({ from: 'nora' }, 1)).toHaveLength(1);
  });

  it('reads a mail as its sender wrote it, and leaves it unread', async () => {
    const [first] = await mailbox.search({ words: 'hammers' }, 1);
    const mail = await mailbox.read(first?.id ?? '');
    expect(mail).toMatchObject({
      from: 'Jörg Müller <jorg@company.example>',
      date: '2026-11-09T09:01:00.000Z',
    });
    expect(mail?.text).toContain('\nFrom now on we count every month.');
    const [again] = await mailbox.search({ words: 'hammers' }, 1);
    expect(again?.isUnread).toBe(true);
  });
}

describe('the mbox file', () => {
  suite(() => openMailbox(undefined));

  it('is split at its separators only, and unquoted', () => {
    expect(splitMbox(source)).toHaveLength(7);
    const text =
      'From a@b Mon Nov  2 08:14:03 2026\nA: 1\n\n>From here\n>>From there\nFrom me to you in 2026\n\nFrom c@d Mon Nov  2 08:14:03 2026\nB: 2\n\nx\n';
    expect(splitMbox(text)).toEqual([
      'A: 1\n\nFrom here\n>From there\nFrom me to you in 2026\n',
      'B: 2\n\nx\n',
    ]);
    expect(splitMbox('')).toEqual([]);
    expect(splitMbox(text.replaceAll('\n', '\r\n'))).toHaveLength(2);
  });

  it('that is not there is an error that names it', async () => {
    await expect(openMailbox('/nowhere/mail.mbox')).rejects.toThrow('/nowhere/mail.mbox');
  });
});

describe('a mail', () => {
  it('that has only HTML is read as words', () => {
    expect(
      textOfHtml('<head><title>x</title></head><p>a &amp; b&#33;</p><script>evil()</script><li>c</li>'),
    ).toBe('a & b!\nc');
  });

  it('that is no mail at all does no harm', async () => {
    for (const rubbish of [
      '',
      '\u0000\u0001',
      'no headers here',
      'Content-Type: multipart/mixed; boundary="x"\n\n--x',
    ]) {
      expect(await parseMail('1', rubbish, false)).toMatchObject({ id: '1', attachments: [] });
    }
  });
});

describe.skipIf(dovecot === undefined)(
  `an IMAP server${dovecot === undefined ? ' (not installed here: Debian package dovecot-imapd)' : ''}`,
  () => {
    let server: ImapServer;
    beforeAll(async () => {
      server = await startDovecot(dovecot ?? '');
      await fill(server);
    });
    afterAll(() => server?.stop());

    suite(() => openMailbox(server.url()));

    it('says which server refused the connection, without the password', async () => {
      const failure = await openMailbox(server.url('wrong-secret')).catch((error) => String(error));
      expect(failure).toMatch(/The IMAP server at 127\.0\.0\.1:\d+ refused the connection: .*Check IMAP_URL/);
      expect(failure).not.toContain('wrong-secret');
    });

    it('that is not there is an error that names it', async () => {
      await expect(openMailbox('imap://a:b@127.0.0.1:1/')).rejects.toThrow('127.0.0.1:1');
    });
  },
);

/** The mails of the file, put there as a mail program would. */
async function fill(server: ImapServer): Promise<void> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: Number(new URL(server.url()).port),
    secure: false,
    auth: { user: 'reader', pass: PASSWORD },
    logger: false,
  });
  await client.connect();
  for (const mail of splitMbox(source)) {
    const flags = /^Status: RO/m.test(mail) ? ['\\Seen'] : [];
    await client.append('INBOX', Buffer.from(mail.replaceAll('\n', '\r\n'), 'latin1'), flags);
  }
  await client.logout();
}

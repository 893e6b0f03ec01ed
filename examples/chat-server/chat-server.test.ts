/** The program over HTTP. The page is in page.test.ts. */

import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alive, descendants, waitUntil } from '../../test/support/real-cli.js';
import { startPostgres } from '../database/postgres.js';
import { prepareDirectory } from '../shared/host-directory.js';
import { findPostgres } from '../shared/programs.mjs';
import { backends, callTools } from '../shared/testing.js';
import { Accounts, readName } from './accounts.mjs';
import { Orders } from './orders.mjs';
import { STORY } from './rehearsal-texts.mjs';
import { isApproval, isDone, Person, saidIn, startProgram } from './testing.js';
import { HARMLESS, shopServer } from './tools.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tenon-chat-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(folder, 'data-'));

describe('chat-server over HTTP (R60)', () => {
  const program = startProgram(['--memory']);
  let url: string;
  beforeAll(async () => {
    url = await program.url;
  });

  it('answers two people at once, and shows each of them only what is theirs', async () => {
    const [ada, bob] = await Promise.all(['Ada', 'Bob'].map((name) => Person.signedIn(url, name)));
    if (ada === undefined || bob === undefined) throw new Error('Nobody is there.');
    // The same name for a conversation: still two conversations.
    await Promise.all([
      ada.send('same', 'Do you have hammers?'),
      bob.send('same', 'Do you have a watering can?'),
    ]);
    const [hers, his] = await Promise.all([ada.read('same', isDone), bob.read('same', isDone)]);
    expect(saidIn(hers)).toContain('Claw hammer');
    expect(JSON.stringify(hers)).not.toContain('watering');
    expect(saidIn(his)).toContain('Watering can');
    expect(JSON.stringify(his)).not.toContain('ammer');
    await ada.send('order', 'Order two claw hammers');
    await ada.read('order', isApproval);
    expect(await ada.titles()).toEqual(['Order two claw hammers', 'Do you have hammers?']);
    expect(await bob.titles()).toEqual(['Do you have a watering can?']);

    expect((await bob.ask('GET', '/api/sessions/order')).status).toBe(404);
    expect(await bob.approvals()).toEqual([]);
    const [approval] = await ada.approvals();
    expect(await bob.answer(approval?.id ?? '', { behavior: 'allow' })).toBe(404);
    await bob.ask('POST', '/api/sessions/order/interrupt', {});
    await bob.ask('DELETE', '/conversations/same');
    expect(await ada.answer(approval?.id ?? '', { behavior: 'allow' })).toBe(200);
    expect(saidIn(await ada.read('order', isDone))).toContain('2 × Claw hammer, 37.00 €');
    expect(await ada.titles()).toHaveLength(2);

    // Orders are somebody's, too: who asks is not for the model to say.
    await bob.send('mine', 'What have I ordered?');
    expect(saidIn(await bob.read('mine', isDone))).toContain('not ordered anything');
  });

  it('believes its own signature, and nothing that a request says of itself', async () => {
    const ada = await Person.signedIn(url, 'Ada');
    const nobody = new Person(url);
    for (const path of ['/api/sessions', '/api/approvals', '/conversations', '/api/sessions/same/events'])
      expect((await nobody.ask('GET', path)).status, path).toBe(401);
    expect((await nobody.ask('POST', '/api/sessions/new/messages', { prompt: 'Hi' })).status).toBe(401);

    const [claim = '', signature = ''] = ada.cookie.replace('chat_user=', '').split('.');
    const forged = Buffer.from(JSON.stringify({ name: 'Eve', until: Date.now() + 1e9 })).toString(
      'base64url',
    );
    const others = new Accounts().cookieFor('Ada').split(';')[0] ?? '';
    for (const cookie of [
      `chat_user=${forged}.${signature}`,
      `chat_user=${claim}.`,
      'chat_user=Ada',
      others,
    ]) {
      nobody.cookie = cookie;
      expect((await nobody.ask('GET', '/conversations')).status, cookie).toBe(401);
    }
    const claims = { 'x-user': 'Ada', 'x-tenant': 'ada', authorization: 'Bearer ada' };
    nobody.cookie = '';
    expect((await nobody.ask('GET', '/api/sessions?tenant=ada', undefined, claims)).status).toBe(401);
  });

  it('answers its own page and no other: another site, another name for the machine', async () => {
    const ada = await Person.signedIn(url, 'Ada');
    const message = { prompt: 'Order two claw hammers' };
    const foreign = { origin: 'https://example.com' };
    expect((await ada.ask('POST', '/api/sessions/x/messages', message, foreign)).status).toBe(403);
    expect((await ada.ask('POST', '/sign-in', { name: 'Ada' }, foreign)).status).toBe(403);
    expect((await ada.ask('POST', '/api/sessions/x/messages', message, { origin: url })).status).toBe(202);
    const { port } = new URL(url);
    expect(await statusWithHost(Number(port), `evil.example:${port}`)).toBe(403);
    expect(await statusWithHost(Number(port), `localhost:${port}`)).toBe(200);
  });

  it('gives out the files of the page and no others, with a policy that lets nothing else in', async () => {
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).not.toMatch(/https?:|<style|\son\w+=/);
    expect((await fetch(`${url}/c/0d8f`)).headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${url}/page/main.mjs`)).headers.get('content-type')).toContain('javascript');
    for (const path of [
      '/main.mjs',
      '/page/../main.mjs',
      '/page/%2e%2e/main.mjs',
      '/page/..%2fmain.mjs',
      '/page/',
      '/c/a/b',
    ])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(404);
  });

  it('takes no name that is none, however long', async () => {
    const nobody = new Person(url);
    for (const name of ['', '   ', '<b>', 7, null, 'x'.repeat(41), 'x'.repeat(100_000)])
      expect((await nobody.ask('POST', '/sign-in', { name })).status, String(name).slice(0, 50)).toBe(400);
    expect(readName('  Ada   Lovelace ')).toBe('Ada Lovelace');
    expect(readName('Zoë')).toBe('Zoë');
    expect(new Accounts().who('chat_user=.')).toBe(undefined);
  });

  it('deletes a conversation of whoever asks for it', async () => {
    const ada = await Person.signedIn(url, 'Grace');
    await ada.send('gone', 'Hello');
    await ada.read('gone', isDone);
    await waitUntil(async () => (await ada.ask('DELETE', '/conversations/gone')).ok, {
      what: 'the deletion',
    });
    expect(await ada.titles()).toEqual([]);
    expect((await ada.ask('GET', '/api/sessions/gone')).status).toBe(404);
  });
});

/** A name of the machine that `fetch` would not let us claim. */
async function statusWithHost(port: number, host: string): Promise<number | undefined> {
  const asked = request({ port, host: '127.0.0.1', headers: { host } }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

describe('what is kept', () => {
  it('is there again after the program was stopped: who has signed in, what was said and what was ordered', async () => {
    const data = newFolder();
    const first = startProgram(['--data', data]);
    const ada = await Person.signedIn(await first.url, 'Ada');
    await ada.send('tools', 'Order three tape measures');
    await ada.read('tools', isApproval);
    const [approval] = await ada.approvals();
    await ada.answer(approval?.id ?? '', { behavior: 'allow' });
    await ada.read('tools', isDone);
    // An answer that is being written comes to its end, now or then.
    await ada.send('story', 'Tell me the story of the hammer');
    await ada.read('story', ({ type }) => type === 'stream_event');
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(first.output()).toContain('ending');

    const second = startProgram(['--data', data]);
    const again = new Person(await second.url);
    again.cookie = ada.cookie;
    expect(await again.titles()).toEqual(['Tell me the story of the hammer', 'Order three tape measures']);
    expect(saidIn(await again.read('story', isDone))).toBe(STORY);
    const { event } = await again.send('tools', 'What have I ordered?');
    expect(saidIn(await again.read('tools', isDone, event))).toContain('Order 1001: 3 × tape-measure');
    second.child.kill('SIGINT');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.errors()).toBe('');
  });

  it.skipIf(findPostgres() === undefined)('may be in a PostgreSQL server', async () => {
    const server = await startPostgres(findPostgres() ?? '');
    try {
      const flags = ['--data', newFolder(), '--database', server.url('superuser')];
      const first = startProgram(flags);
      const ada = await Person.signedIn(await first.url, 'Ada');
      await ada.send('x', 'Order two claw hammers');
      await ada.read('x', isApproval);
      expect(first.output()).toContain('a PostgreSQL server');
      expect(first.output()).not.toContain('postgres://');
      first.child.kill('SIGTERM');
      await first.ended;

      const second = startProgram(flags);
      const again = new Person(await second.url);
      again.cookie = ada.cookie;
      const [approval] = await again.approvals();
      expect(await again.answer(approval?.id ?? '', { behavior: 'allow' })).toBe(200);
      expect(saidIn(await again.read('x', isDone))).toContain('Order 1001: 2 × Claw hammer');
      second.child.kill('SIGTERM');
      await second.ended;
    } finally {
      await server.stop();
    }
  });
});

describe('on the Claude Code CLI', () => {
  it('does the same: killed while an approval waits, it goes on with the answer, and leaves no process behind', async () => {
    const data = newFolder();
    await prepareDirectory(join(data, 'host'));
    const first = startProgram(['--data', data, '--cli']);
    const ada = await Person.signedIn(await first.url, 'Ada');
    await ada.send('x', 'Order two claw hammers');
    await ada.read('x', isApproval);
    const children = descendants(first.child.pid ?? 0);
    first.child.kill('SIGKILL');
    await first.ended;
    await waitUntil(() => !children.some(alive), { what: 'the end of the agents' });

    const second = startProgram(['--data', data, '--cli']);
    const again = new Person(await second.url);
    again.cookie = ada.cookie;
    const [approval] = await again.approvals();
    const updatedInput = { product: 'claw-hammer', quantity: 3 };
    expect(await again.answer(approval?.id ?? '', { behavior: 'allow', updatedInput })).toBe(200);
    expect(saidIn(await again.read('x', isDone))).toContain('Order 1001: 3 × Claw hammer');
    const others = descendants(second.child.pid ?? 0);
    second.child.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    await waitUntil(() => !others.some(alive), { what: 'the end of the agents' });
  });
});

describe.each(backends)('the tools on %s', (backend) => {
  it('answer bad input with an error that says what is wrong, and order nothing', async () => {
    const orders = new Orders();
    const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__shop__${name}`, input });
    const example = {
      name: 'shop',
      question: 'Order everything.',
      systemPrompt: '',
      script: () => '',
      open: () => ({
        options: { mcpServers: { shop: shopServer(orders, 'ada') }, allowedTools: ['mcp__shop__*'] },
      }),
    };
    const outcomes = await callTools(example, backend, [
      call('order', { product: 'unicorn', quantity: 1 }),
      call('order', { product: 'sledgehammer', quantity: 4 }),
      call('order', { product: 'sledgehammer', quantity: 0 }),
      call('order', { product: 'sledgehammer', quantity: 1.5 }),
      call('find_product', {}),
      call('find_product', { words: 'unicorn' }),
      call('list_orders', {}),
    ]);
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true, true, true, false, false]);
    expect(outcomes.map(({ text }) => text)).toEqual([
      expect.stringContaining("There is no product 'unicorn'. Look for its id with find_product."),
      expect.stringContaining("There are only 3 of 'sledgehammer'. Order fewer."),
      expect.stringContaining('quantity'),
      expect.stringContaining('quantity'),
      expect.stringContaining('words'),
      'Nothing like that.',
      'No orders yet.',
    ]);
    expect(orders.of('ada')).toEqual([]);
  });
});

describe('orders', () => {
  it('are placed once for a call, also after a restart, and survive a line that was cut off', () => {
    const file = join(newFolder(), 'orders.jsonl');
    const order = { key: 'session:call', customer: 'ada', product: 'doormat', quantity: 1 };
    const first = new Orders(file);
    expect(first.place(order).number).toBe(1001);
    expect(first.place({ ...order, quantity: 9 })).toMatchObject({ number: 1001, quantity: 1 });
    appendFileSync(file, '\n{"key":"session:ot');
    const second = new Orders(file);
    expect(second.place(order).number).toBe(1001);
    expect(second.place({ ...order, key: 'session:other' }).number).toBe(1002);
    expect(new Orders(file).of('ada')).toHaveLength(2);
    expect(readFileSync(file, 'utf8').match(/"number"/g)).toHaveLength(2);
  });

  it('are not among what the agent may do without asking', () => {
    expect(HARMLESS).not.toContain('mcp__shop__order');
  });
});

describe('the command line', () => {
  const run = async (...flags: string[]) => {
    const program = startProgram(flags);
    const { code } = await program.ended;
    return { code, output: program.output(), errors: program.errors() };
  };

  it('says what there is, and what is wrong with what was asked for', async () => {
    const help = await run('--help');
    expect(help).toMatchObject({ code: 0, errors: '' });
    expect(help.output).toContain('--database <url>');
    expect((await run('--loud')).errors).toContain("Unknown option '--loud'");
    expect((await run('--port', 'http')).errors).toContain(
      '--port must be a whole number from 0 to 65535, not "http"',
    );
    expect((await run('--memory', '--database', 'postgres://x')).errors).toContain(
      'either --memory or --database',
    );
    expect((await run('--live', '--memory')).errors).toContain('A real model needs ANTHROPIC_API_KEY');
    for (const flags of [['--loud'], ['--live', '--memory']]) expect((await run(...flags)).code).toBe(1);
  });

  it('says so when the port is taken, and leaves nothing running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, errors } = await run('--memory', '--port', String(port));
    expect(errors).toBe(
      `Port ${port} is in use. Choose another one with --port, or any free one with --port 0.\n`,
    );
    expect(code).toBe(1);
    other.close();
  });

  it('says so when another program has the folder', async () => {
    const data = newFolder();
    await prepareDirectory(join(data, 'host'));
    const first = startProgram(['--data', data]);
    await first.url;
    const { code, errors } = await run('--data', data);
    expect(code).toBe(1);
    expect(errors).toContain(data);
    first.child.kill('SIGTERM');
    await first.ended;
  });
});

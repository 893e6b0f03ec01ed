// The page on which a person decides: the waiting tickets and the board, updated while it is open.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const CLOSE_GRACE_MS = 1_000;

/** By what has become of a decision. */
const STATUS = { taken: 200, already: 409, gone: 404 };

/**
 * Only for this machine: it listens on the loopback interface and does not answer pages of other sites.
 *
 * @param {import('./desk.mjs').Desk} desk
 * @param {import('./store.mjs').TicketStore} store
 * @param {number} [port]
 */
export async function servePage(desk, store, port = 0) {
  const page = await readFile(new URL('page.html', import.meta.url));
  const board = () => JSON.stringify({ waiting: desk.waiting(), tickets: store.tickets() });

  /** @type {Set<import('node:http').ServerResponse>} */
  const watchers = new Set();

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer(request, response) {
    const { method = 'GET', headers } = request;
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    // Neither a host name that resolves to 127.0.0.1 nor a form on another site may decide for the person.
    const isOurs = headers.host === host && (headers.origin === undefined || headers.origin === url);
    if (!isOurs)
      return void response.writeHead(403).end('This server accepts requests only from its own page.\n');
    if (method === 'GET' && pathname === '/') {
      const policy =
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:";
      return void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
        .end(page);
    }
    if (method === 'GET' && pathname === '/board.json') {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(board());
    }
    if (method === 'GET' && pathname === '/changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const tell = () => response.write(`data: ${board()}\n\n`);
      const stops = [store.onChange(tell), desk.onChange(tell)];
      watchers.add(response);
      response.once('close', () => {
        for (const stop of stops) stop();
        watchers.delete(response);
      });
      return void tell();
    }
    const [, id = '', decision] = /^\/waiting\/([\w-]+)\/(approve|reject)$/.exec(pathname) ?? [];
    if (method !== 'POST' || decision === undefined) return void response.writeHead(404).end('Not found.\n');
    const reason = await bodyOf(request);
    const outcome = await (decision === 'approve' ? desk.approve(id) : desk.reject(id, reason));
    response.writeHead(STATUS[outcome], { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ outcome }));
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const host = `127.0.0.1:${address.port}`;
  const url = `http://${host}`;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const watcher of watchers) watcher.end();
    // The response to the decision that ended the program is still on its way to the browser.
    const graceTimer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(graceTimer);
  };
  return { url, close };
}

/**
 * A reason is short; longer ones are cut off.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function bodyOf(request) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text = (text + part).slice(0, 1000);
  return text;
}

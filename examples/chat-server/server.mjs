// The web server: the page, the sign-in, the list of conversations; and the host's own routes under /api.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { toNodeHandler } from 'tenon/host';
import { readName } from './accounts.mjs';
import { Conversations } from './conversations.mjs';
import { pageFiles, SAFE_HEADERS } from './files.mjs';

const LARGEST_BODY = 1_000;
const CLOSE_GRACE_MS = 1_000;

/**
 * @typedef {import('node:http').IncomingMessage} Incoming
 * @typedef {import('node:http').ServerResponse} Outgoing
 * @typedef {{ incoming: Incoming, outgoing: Outgoing, pathname: string }} Exchange
 */

/**
 * @param {object} parts
 * @param {import('tenon/host').Host} parts.host
 * @param {import('./accounts.mjs').Accounts} parts.accounts
 * @param {number} parts.port
 * @param {string} parts.about what the page says of the model
 */
export async function serve({ host, accounts, port, about }) {
  const fileOf = pageFiles();
  const conversations = new Conversations(host);
  const ask = toNodeHandler(
    host.handler({
      basePath: '/api',
      // The only thing in the request that counts is what this server has signed.
      authorize: (request) => accounts.who(request.headers.get('cookie')),
    }),
  );

  /** @type {Record<string, (exchange: Exchange) => Promise<void> | void>} */
  const routes = {
    'GET /me': ({ incoming, outgoing }) => {
      const person = accounts.who(incoming.headers.cookie);
      json(outgoing, person === undefined ? {} : { name: person.name, about });
    },
    'POST /sign-in': async ({ incoming, outgoing }) => {
      const name = readName((await bodyOf(incoming)).name);
      if (name === undefined) return refuse(outgoing, 400, 'A name has 1 to 40 letters, digits and blanks.');
      json(outgoing, { name, about }, { 'set-cookie': accounts.cookieFor(name) });
    },
    'POST /sign-out': ({ outgoing }) => json(outgoing, {}, { 'set-cookie': accounts.noCookie }),
    'GET /conversations': async ({ incoming, outgoing }) => {
      const person = accounts.who(incoming.headers.cookie);
      if (person === undefined) return refuse(outgoing, 401, 'Nobody has signed in.');
      json(outgoing, { conversations: await conversations.of(person.tenant) });
    },
    'DELETE /conversations/': async ({ incoming, outgoing, pathname }) => {
      const person = accounts.who(incoming.headers.cookie);
      if (person === undefined) return refuse(outgoing, 401, 'Nobody has signed in.');
      const session = /^\/conversations\/([\w-]{1,64})$/.exec(pathname)?.[1];
      if (session === undefined) return refuse(outgoing, 404, 'There is no such conversation.');
      await conversations.remove({ tenant: person.tenant, session });
      json(outgoing, {});
    },
  };

  const server = createServer((incoming, outgoing) => {
    const pathname = (incoming.url ?? '/').replace(/[?#].*$/s, '');
    answer({ incoming, outgoing, pathname }).catch((error) => {
      const isRunning = error?.code === 'LEASE_HELD';
      if (!isRunning) console.error(error);
      if (outgoing.headersSent) outgoing.destroy();
      else if (isRunning) refuse(outgoing, 409, 'The conversation is running. Stop it first.');
      else refuse(outgoing, 500, 'That did not work. The server has printed why.');
    });
  });

  /** @param {Exchange} exchange */
  async function answer(exchange) {
    const { incoming, outgoing, pathname } = exchange;
    const { method = 'GET' } = incoming;
    if (!isOurs(incoming)) return refuse(outgoing, 403, 'This server answers only its own page.');
    if (pathname.startsWith('/api/')) return ask(incoming, outgoing);
    const route = routes[`${method} ${pathname.replace(/(?<=^\/conversations\/).+$/s, '')}`];
    if (route !== undefined) return route(exchange);
    const file = method === 'GET' ? fileOf(pathname) : undefined;
    if (file === undefined) return refuse(outgoing, 404, 'There is nothing here.');
    outgoing.writeHead(200, { ...SAFE_HEADERS, 'content-type': file.type, 'cache-control': 'no-cache' });
    outgoing.end(file.body);
  }

  /**
   * Neither another name for this machine nor a page of another site may speak for whoever has signed in.
   *
   * @param {Incoming} incoming
   */
  function isOurs({ headers }) {
    const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${address.port}`);
    const { host: name = '', origin } = headers;
    return names.includes(name) && (origin === undefined || origin === `http://${name}`);
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());

  /** Streams end with the host; what else is open gets a moment. */
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    const graceTimer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(graceTimer);
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}

/**
 * @param {Outgoing} outgoing
 * @param {object} value
 * @param {Record<string, string>} [headers]
 */
function json(outgoing, value, headers = {}) {
  outgoing
    .writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...headers,
    })
    .end(JSON.stringify(value));
}

/**
 * @param {Outgoing} outgoing
 * @param {number} status
 * @param {string} detail
 */
function refuse(outgoing, status, detail) {
  outgoing
    .writeHead(status, {
      ...SAFE_HEADERS,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    })
    .end(JSON.stringify({ status, detail }));
}

/**
 * A small JSON object; anything else is an empty one.
 *
 * @param {Incoming} incoming
 * @returns {Promise<Record<string, unknown>>}
 */
async function bodyOf(incoming) {
  let text = '';
  for await (const part of incoming.setEncoding('utf8')) {
    text += part;
    if (text.length > LARGEST_BODY) return {};
  }
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A handler of the web on servers of Node: alone, in Express, in Fastify, in Hono (R67). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { toNodeHandler } from '../../../src/host/index.js';
import { text } from '../../../src/testing/index.js';
// @ts-expect-error: it comes without types.
import express from '../../chat/node_modules/express/index.js';
import { fastify } from '../../chat/node_modules/fastify/fastify.js';
import { hosted, shop } from '../support/host.js';
import { isDoneEvent, listening, post, readUntil } from './support/served.js';

/** Its types are apart from it. */
type HonoPackage = typeof import('../../chat/node_modules/hono/dist/types/index.js');
const { Hono }: HonoPackage = await import(
  new URL('../../chat/node_modules/hono/dist/index.js', import.meta.url).href
);

const authorize = () => ({ tenant: 'acme' });

describe('in a framework', () => {
  /** Sends a message and reads what comes of it. */
  async function works(base: string): Promise<void> {
    const sent = await post(`${base}/sessions/user-7/messages`, { prompt: 'Hi.' });
    expect(sent.status).toBe(202);
    const events = await readUntil(await fetch(`${base}/sessions/user-7/events`), isDoneEvent);
    expect(JSON.stringify(events)).toContain('Hello.');
    expect((await post(`${base}/sessions/user-7/messages`, '{')).status).toBe(400);
    expect((await fetch(`${base}/nothing`)).headers.get('content-type')).toBe('application/problem+json');
  }

  it('Express, at a path of its own', async () => {
    const { host } = hosted([text('Hello.')], shop());
    await using _ = host;
    const app = express();
    app.use('/agent', toNodeHandler(host.handler({ authorize, basePath: '/agent' })));
    await using server = await listening(app);
    await works(`${server.origin}/agent`);
  });

  it('Express, behind a middleware that has read the body', async () => {
    const { host } = hosted([text('Hello.')], shop());
    await using _ = host;
    const app = express();
    app.use(express.json());
    app.use('/agent', toNodeHandler(host.handler({ authorize, basePath: '/agent' })));
    await using server = await listening(app);
    const sent = await post(`${server.origin}/agent/sessions/user-7/messages`, { prompt: 'Hi.' });
    expect(sent.status).toBe(202);
  });

  it('Fastify, which leaves the body alone', async () => {
    const { host } = hosted([text('Hello.')], shop());
    await using _ = host;
    const handle = toNodeHandler(host.handler({ authorize, basePath: '/agent' }));
    const app = fastify();
    await app.register(async (agent) => {
      agent.removeAllContentTypeParsers();
      agent.addContentTypeParser('*', (_request, _payload, done) => done(null));
      agent.all('/agent/*', (request, reply) => {
        reply.hijack();
        return handle(request.raw, reply.raw);
      });
    });
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      await works(`${origin}/agent`);
    } finally {
      app.server.closeAllConnections();
      await app.close();
    }
  });

  it('Hono, which needs nothing in between', async () => {
    const { host } = hosted([text('Hello.')], shop());
    await using _ = host;
    const handler = host.handler({ authorize, basePath: '/agent' });
    const app = new Hono();
    app.all('/agent/*', (context) => handler(context.req.raw));
    // Its own server for Node is another package; what it gives to `fetch` is the same.
    await using server = await listening(toNodeHandler(async (request) => app.fetch(request)));
    await works(`${server.origin}/agent`);
  });
});

describe('alone', () => {
  it('passes on what was asked, and what is answered', async () => {
    const seen: Record<string, unknown>[] = [];
    await using server = await listening(
      toNodeHandler(async (request) => {
        const { method, url, headers } = request;
        seen.push({ method, url, header: headers.get('x-mine'), body: await request.text() });
        return new Response('made', { status: 201, headers: { 'x-ours': 'yes' } });
      }),
    );
    const url = `${server.origin}/a/b?c=d`;
    const response = await fetch(url, {
      method: 'PUT',
      body: 'ü'.repeat(100_000),
      headers: { 'x-mine': 'yes' },
    });
    expect([response.status, response.headers.get('x-ours'), await response.text()]).toEqual([
      201,
      'yes',
      'made',
    ]);
    expect(seen).toEqual([{ method: 'PUT', url, header: 'yes', body: 'ü'.repeat(100_000) }]);
    const empty = await fetch(url, { method: 'GET' });
    expect(await empty.text()).toBe('made');
    expect(seen[1]).toMatchObject({ method: 'GET', body: '' });
  });

  it('answers 500 for a handler that fails, without a word of why', async () => {
    await using server = await listening(toNodeHandler(() => Promise.reject(new Error('hunter2'))));
    const response = await fetch(server.origin);
    expect([response.status, await response.text()]).toEqual([500, '']);
  });

  it('breaks an answer off whose body fails', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('a')),
      pull: (controller) => controller.error(new Error('hunter2')),
    });
    await using server = await listening(toNodeHandler(async () => new Response(body)));
    const response = await fetch(server.origin);
    await expect(response.text()).rejects.toThrow();
  });

  it('tells the handler when the client leaves, before and during the answer', async () => {
    const seen: string[] = [];
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('a')),
        cancel: () => void seen.push('cancelled'),
      });
    await using server = await listening(
      toNodeHandler(async ({ signal, url }) => {
        seen.push('asked');
        const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        void left.then(() => seen.push('left'));
        if (url.endsWith('/silent')) await left;
        return new Response(body());
      }),
    );
    const silent = ask(server.port, '/silent');
    await vi.waitFor(() => expect(seen).toEqual(['asked']));
    silent.resetAndDestroy();
    // What is answered all the same is thrown away.
    await vi.waitFor(() => expect(seen).toEqual(['asked', 'left', 'cancelled']));
    seen.length = 0;
    const reading = ask(server.port, '/');
    await once(reading, 'data');
    reading.destroy();
    await vi.waitFor(() => expect(seen.toSorted()).toEqual(['asked', 'cancelled', 'left']));
  });

  it('asks for no more than the client takes', async () => {
    const part = new Uint8Array(100_000);
    let given = 0;
    const body = () =>
      new ReadableStream(
        {
          pull: (controller) => {
            given += 1;
            controller.enqueue(part);
          },
        },
        { highWaterMark: 0 },
      );
    await using server = await listening(toNodeHandler(async () => new Response(body())));
    const socket = ask(server.port, '/');
    await once(socket, 'data');
    socket.pause();
    // As much as the system keeps for a connection, and then nothing.
    let before = -1;
    await vi.waitFor(
      () => {
        const isSame = given === before;
        before = given;
        expect(isSame).toBe(true);
      },
      { interval: 200 },
    );
    expect(given).toBeLessThan(400);
    socket.resume();
    await vi.waitFor(() => expect(given).toBeGreaterThan(before + 100));
    socket.destroy();
  });

  it.each([1, 20])(
    'gives up a client that takes nothing, also of the end (an answer in %d parts)',
    async (count) => {
      const parts = Array.from({ length: count }, () => new Uint8Array((32 * 1024 * 1024) / count));
      const body = () => ReadableStream.from(parts);
      let connection: Socket | undefined;
      const handle = toNodeHandler(async () => new Response(body()), { stalledMs: 50 });
      await using server = await listening((incoming, outgoing) => {
        connection = incoming.socket;
        void handle(incoming, outgoing);
      });
      const socket = ask(server.port, '/');
      await once(socket, 'data');
      socket.pause();
      await vi.waitFor(() => expect(connection?.destroyed).toBe(true));
      socket.destroy();
    },
  );

  it('answers a request whose body it does not want, and takes the next one', async () => {
    await using server = await listening(toNodeHandler(async () => new Response('no', { status: 401 })));
    const body = Readable.from(
      (async function* () {
        for (let index = 0; index < 50; index += 1) yield Buffer.alloc(10_000);
      })(),
    );
    const init = { method: 'POST', body: Readable.toWeb(body), duplex: 'half' } as unknown as RequestInit;
    expect((await fetch(server.origin, init)).status).toBe(401);
    expect((await fetch(server.origin)).status).toBe(401);
  });
});

function ask(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
  return socket;
}

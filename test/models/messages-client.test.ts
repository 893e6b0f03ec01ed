/** The client of the Messages API that `anthropic()` has of its own: what it sends, and what it makes of odd answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpFetch } from '../../src/models/anthropic/http-fetch.js';
import { MessagesClient } from '../../src/models/anthropic/messages-client.js';
import type { MessagesFetch } from '../../src/models/anthropic/messages-fetch.js';
import { clock } from '../../src/protocol/base/clock.js';
import { OptionError } from '../../src/protocol/base/errors.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import { holdTimers } from '../support/held-timers.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the client sends with: undefined is the global `fetch`. */
let used: MessagesFetch | undefined;

function client(baseURL: string, more: { authToken?: string; customHeaders?: string } = {}): MessagesClient {
  return new MessagesClient({
    fetch: used,
    apiKey: 'key',
    authToken: more.authToken,
    baseURL,
    customHeaders: more.customHeaders,
  });
}

async function events(answer: Answer): Promise<StreamEvent[]> {
  const read: StreamEvent[] = [];
  for await (const event of await client(await serve(answer)).messages.create({ model: 'm' }))
    read.push(event);
  return read;
}

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const frame = (event: object): string => `event: x\ndata: ${JSON.stringify(event)}\n\n`;
const stop = { type: 'message_stop' };

describe.each([
  ['fetch', undefined],
  ['node:http', httpFetch],
] as const)('the client of the Messages API over %s (R42)', (_, given) => {
  beforeEach(() => {
    used = given;
  });

  it('sends the key, the token, the version and headers of the user to /v1/messages', async () => {
    const seen: { url?: string; headers?: IncomingMessage['headers']; body?: string } = {};
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        Object.assign(seen, { url: request.url, headers: request.headers, body });
        response.writeHead(200, STREAM).end(frame(stop));
      });
    });
    const given = client(`${url}//`, {
      authToken: 'token',
      customHeaders: 'X-Team: blue\nbroken\nx-Two:  b: c ',
    });
    const stream = await given.messages.create({ model: 'm' }, { headers: { 'anthropic-beta': 'a,b' } });
    for await (const event of stream) expect(event).toEqual(stop);
    expect(seen).toMatchObject({
      url: '/v1/messages',
      body: '{"model":"m"}',
      headers: {
        'x-api-key': 'key',
        authorization: 'Bearer token',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'a,b',
        'x-team': 'blue',
        'x-two': 'b: c',
      },
    });
  });

  it('reads events in pieces of any size, also within a character, and leaves signs of life out', async () => {
    const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Größe ☃ 🧊' } };
    const bytes = Buffer.from(`: hello\n\n${frame({ type: 'ping' })}${frame(text)}\r\n${frame(stop)}`);
    const read = await events((_, response) => {
      response.writeHead(200, STREAM);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(read).toEqual([text, stop]);
  });

  it.each<[string, Answer, object]>([
    [
      'a refusal of the API',
      (_, response) =>
        response
          .writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' })
          .end('{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'),
      { status: 429, message: 'slow down', error: { error: { type: 'rate_limit_error' } } },
    ],
    [
      'a page of a proxy',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
      { status: 502, message: '<h1>Bad gateway</h1>' },
    ],
    ['a refusal without words', (_, response) => response.writeHead(503).end(), { status: 503 }],
    [
      'a success that is no stream',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('hello'),
      { message: expect.stringContaining('in place of a stream of events') },
    ],
    [
      'an error in the stream, after what came before it',
      (_, response) =>
        response
          .writeHead(200, STREAM)
          .end(frame({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })),
      { error: { error: { type: 'overloaded_error', message: 'busy' } } },
    ],
    [
      'an event that is not JSON',
      (_, response) => response.writeHead(200, STREAM).end('data: {oops\n\n'),
      { message: expect.stringContaining('not JSON: {oops') },
    ],
    [
      'a connection that is cut',
      (_, response) => {
        response.writeHead(200, STREAM).write(frame({ type: 'ping' }), () => response.destroy());
      },
      { name: 'MessagesConnectionError' },
    ],
  ])('tells of %s', async (_, answer, expected) => {
    await expect(events(answer)).rejects.toMatchObject(expected);
  });

  it('reads no more of an endless refusal than it needs', async () => {
    let isOpen = true;
    const reading = events((_, response) => {
      response.writeHead(500).on('close', () => {
        isOpen = false;
      });
      const more = (): void => {
        while (isOpen && response.write('x'.repeat(65_536)));
        if (isOpen) response.once('drain', more);
      };
      more();
    });
    await expect(reading).rejects.toMatchObject({ status: 500 });
    await vi.waitUntil(() => !isOpen);
  });

  it('gives up on an API that has fallen silent, before and within an answer', async () => {
    for (const begins of [false, true]) {
      using timers = holdTimers(LIMITS.modelSilenceMs);
      let isThere = false;
      const reading = events((_, response) => {
        if (begins) response.writeHead(200, STREAM).write(frame({ type: 'ping' }));
        isThere = true;
      });
      const failed = expect(reading).rejects.toMatchObject({
        name: 'MessagesConnectionError',
        message: expect.stringContaining('nothing for 10 minutes'),
      });
      await vi.waitUntil(() => isThere && timers.count === 1);
      let now = LIMITS.modelSilenceMs;
      vi.spyOn(clock, 'monotonic').mockImplementation(() => (now += 60_000_000));
      timers.expire();
      await failed;
      vi.restoreAllMocks();
    }
  });

  it('ends the request when nobody waits any more, and when the reader leaves', async () => {
    let closed = 0;
    const url = await serve((_, response) => {
      response.on('close', () => (closed += 1));
      response.writeHead(200, STREAM).write(frame(stop));
    });
    const controller = new AbortController();
    const stream = await client(url).messages.create({}, { signal: controller.signal });
    const reading = (async () => {
      for await (const _ of stream) controller.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    for await (const _ of await client(url).messages.create({})) break;
    await vi.waitUntil(() => closed === 2);
  });

  it.each(['localhost:8080', 'ftp://x', ''])('refuses the address %j before any request', (baseURL) => {
    expect(() => client(baseURL)).toThrow(OptionError);
    expect(() => client(baseURL)).toThrow(JSON.stringify(baseURL));
  });
});

it('over node:http, a kept connection that the server has closed meanwhile is no failure', async () => {
  used = httpFetch;
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(200, STREAM).end(frame(stop));
    response.on('finish', () => setImmediate(() => request.socket.resetAndDestroy()));
  });
  for (let nth = 1; nth <= 20; nth += 1) {
    for await (const event of await client(url).messages.create({})) expect(event).toEqual(stop);
  }
});

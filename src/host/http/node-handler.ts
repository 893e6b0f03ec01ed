// A web-standard handler for servers of Node: `node:http`, Express, Fastify. The only file of this folder that knows them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { clock, unref } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';

/** Node's request, and what frameworks have added to it. */
type Incoming = IncomingMessage & {
  /** Express: the address before the part was taken off that leads here. */
  originalUrl?: string;
  /** What a middleware has read already, and nobody can read again. */
  body?: unknown;
};

/**
 * For `createServer(toNodeHandler(host.handler(…)))` and `app.use('/agent', toNodeHandler(…))`. The promise is settled
 * when the answer is on its way or the client has left; it never rejects.
 */
export function toNodeHandler(
  handler: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const leaving = new AbortController();
    // A client that disconnects is not a failure of the server.
    outgoing.on('error', () => {});
    outgoing.once('close', () => leaving.abort());
    try {
      const request = webRequest(incoming, leaving.signal);
      if (request === undefined) return refuse(outgoing, 400);
      await send(await handler(request), outgoing, leaving.signal);
    } catch {
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 500);
    }
  };
}

function refuse(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status).end();
}

/** Undefined if it names no place that could be asked for. */
function webRequest(incoming: Incoming, signal: AbortSignal): Request | undefined {
  const { method = 'GET' } = incoming;
  const url = addressOf(incoming);
  if (url === undefined) return undefined;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    // HTTP/2 has the first line of a request among the headers.
    if (!name.startsWith(':')) for (const value of values ?? []) headers.append(name, value);
  }
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
  const init = { method, headers, signal, body: bodyOf(incoming), duplex: 'half' };
  return new Request(url, init as RequestInit);
}

function addressOf(incoming: Incoming): string | undefined {
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  const isEncrypted = 'encrypted' in incoming.socket && incoming.socket.encrypted === true;
  const host = incoming.headers.host ?? incoming.headers[':authority'] ?? 'localhost';
  // Put together as texts: `new URL('//elsewhere', base)` would be another host.
  const url = path.startsWith('/') ? `http${isEncrypted ? 's' : ''}://${host}${path}` : path;
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

function bodyOf(incoming: Incoming): ReadableStream<Uint8Array> | string {
  // `express.json()` has read it.
  if (incoming.readableDidRead && incoming.body !== undefined) return JSON.stringify(incoming.body);
  const parts = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // What is not wanted Node reads to its end, so that the answer arrives.
      async cancel() {
        await parts.return?.();
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(response: Response, outgoing: ServerResponse, left: AbortSignal): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // A stream may be silent for long; the client must know that it is open.
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  const leave = (): void => void reader?.cancel().catch(() => {});
  left.addEventListener('abort', leave, { once: true });
  if (left.aborted) leave();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (!outgoing.write(part.value)) await roomIn(outgoing);
    if (left.aborted) return;
  }
  left.removeEventListener('abort', leave);
  outgoing.end();
  destroyUnless(outgoing);
}

/** Until the client has taken some of what was written, or is gone. */
function roomIn(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const free = (): void => {
      outgoing.removeListener('drain', free).removeListener('close', free);
      resolve();
    };
    outgoing.on('drain', free).on('close', free);
  });
}

/** A client that does not take the rest of what was said is not waited for. */
function destroyUnless(outgoing: ServerResponse): void {
  const timer = unref(clock.setTimeout(() => outgoing.destroy(), LIMITS.hostFlushMs));
  const done = (): void => clock.clearTimeout(timer);
  outgoing.once('finish', done).once('close', done);
}

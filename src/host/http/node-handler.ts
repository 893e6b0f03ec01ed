// A web-standard handler for servers of Node: `node:http`, Express, Fastify. The only file of this folder that knows them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../protocol/base/limits.js';
import { checkedDuration } from '../storage/checked.js';

/** Node's request, and what frameworks have added to it. */
type Incoming = IncomingMessage & {
  /** Express: the address before the part was taken off that leads here. */
  originalUrl?: string;
  /** What a middleware has read already, and nobody can read again. */
  body?: unknown;
};

export interface NodeHandlerOptions {
  /**
   * A client that takes nothing of what was sent for so long is disconnected. Longer than `slowReaderMs`, so that a slow reader
   * can be told first. Default: 60,000.
   */
  stalledMs?: number | undefined;
}

/**
 * For `createServer(toNodeHandler(host.handler(…)))` and `app.use('/agent', toNodeHandler(…))`. The promise is settled
 * when the answer is on its way or the client has left; it never rejects.
 */
export function toNodeHandler(
  handler: (request: Request) => Promise<Response>,
  { stalledMs = LIMITS.hostStalledMs }: NodeHandlerOptions = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  checkedDuration('stalledMs', stalledMs);
  return async (incoming, outgoing) => {
    const leaving = new AbortController();
    // A client that disconnects is not a failure of the server.
    outgoing.on('error', () => {});
    outgoing.once('close', () => leaving.abort());
    outgoing.on('timeout', () => outgoing.destroy());
    try {
      const request = webRequest(incoming, leaving.signal);
      if (request === undefined) return refuse(outgoing, 400);
      await send(await handler(request), { outgoing, stalledMs, left: leaving.signal });
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

interface Client {
  readonly outgoing: ServerResponse;
  readonly stalledMs: number;
  /** It has disconnected. */
  readonly left: AbortSignal;
}

async function send(response: Response, { outgoing, stalledMs, left }: Client): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // A stream may be silent for long; the client must know that it is open.
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  const leave = (): void => void reader?.cancel().catch(() => {});
  left.addEventListener('abort', leave, { once: true });
  if (left.aborted) leave();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (!outgoing.write(part.value)) await roomIn(outgoing, stalledMs);
    if (left.aborted) return;
  }
  left.removeEventListener('abort', leave);
  // Once it has ended, the server has a timeout of its own for the connection.
  outgoing.setTimeout(stalledMs);
  outgoing.end();
}

/** Until the client has taken what was written, or is gone. Node's timeout begins again with everything that it takes. */
function roomIn(outgoing: ServerResponse, stalledMs: number): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  const before = outgoing.socket?.timeout ?? 0;
  outgoing.setTimeout(stalledMs);
  return new Promise((resolve) => {
    const free = (): void => {
      outgoing.removeListener('drain', free).removeListener('close', free);
      outgoing.setTimeout(before);
      resolve();
    };
    outgoing.on('drain', free).on('close', free);
  });
}

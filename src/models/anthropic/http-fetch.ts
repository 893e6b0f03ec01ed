import type { ClientRequest, IncomingMessage } from 'node:http';
import type { MessagesFetch, MessagesResponse } from './messages-fetch.js';

/**
 * The part of `fetch` that the client of the Messages API needs, over `node:http`: in a process that has no other use
 * for it, `fetch` costs twelve megabytes and the compilation of its parser.
 */
export const httpFetch: MessagesFetch = async (url, request) => {
  try {
    return await send(url, request);
  } catch (error) {
    // A kept connection that the server has closed meanwhile: as a rule it has not read the request.
    if (!(error instanceof StaleConnectionError) || request.signal.aborted) throw unwrapped(error);
    return send(url, request).catch((second) => Promise.reject(unwrapped(second)));
  }
};

class StaleConnectionError extends Error {}

function unwrapped(error: unknown): unknown {
  return error instanceof StaleConnectionError ? error.cause : error;
}

async function send(
  url: string,
  { method, headers, body, signal }: Parameters<MessagesFetch>[1],
): Promise<MessagesResponse> {
  const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const outgoing = request(url, {
      method,
      headers: { ...headers, 'content-length': bytes.length },
      signal,
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(isStale(outgoing, error)));
    outgoing.on('response', (incoming) => resolve(responseOf(incoming)));
    outgoing.end(bytes);
  });
}

function isStale({ reusedSocket }: ClientRequest, error: NodeJS.ErrnoException): Error {
  const isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return reusedSocket && isReset ? new StaleConnectionError(error.message, { cause: error }) : error;
}

function responseOf(incoming: IncomingMessage): MessagesResponse {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = incoming;
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => String(headers[name] ?? '') || null },
    body: { getReader: () => readerOf(incoming) },
  };
}

function readerOf(incoming: IncomingMessage) {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  return {
    read: async () => {
      const { done = false, value } = await chunks.next();
      return { done, value };
    },
    cancel: async () => {
      incoming.destroy();
    },
  };
}

/** Translates between Node's HTTP server and the web's `Request` and `Response`, which the MCP library uses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Undefined if the body is longer than allowed. */
export async function webRequest(
  incoming: IncomingMessage,
  maxBodyBytes: number,
): Promise<Request | undefined> {
  const body = await readBody(incoming, maxBodyBytes);
  if (body === undefined) return undefined;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const { method = 'GET' } = incoming;
  // The host is just a header: a URL built from it would be the sender's choice.
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  return new Request(url, { method, headers, body: method === 'GET' || method === 'HEAD' ? null : body });
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Resolves when everything is sent or the client is gone. */
export async function sendWebResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  // A client that disconnects is not a failure of the server.
  outgoing.on('error', () => {});
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // An event stream may be silent for long; the client must know that it is open.
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => {});
}

/** An error from before MCP, in the form of MCP. */
export function jsonRpcErrorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

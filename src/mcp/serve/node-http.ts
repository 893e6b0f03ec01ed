/** Translates between Node's HTTP server and the web's `Request` and `Response`, which the MCP library uses. */
import type { IncomingMessage, ServerResponse } from 'node:http';

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

/** `mayWrite` is asked before each part, because what is written waits here for as long as the client does not read. */
export async function sendWebResponse(
  response: Response,
  outgoing: ServerResponse,
  mayWrite: () => boolean,
): Promise<void> {
  // A client that disconnects is not a failure of the server.
  outgoing.on('error', () => {});
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // An event stream may be silent for long; the client must know that it is open.
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  outgoing.once('close', () => void reader?.cancel().catch(() => {}));
  try {
    // Read as fast as it comes: what a web stream holds back cannot be measured.
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      if (!mayWrite()) return;
      outgoing.write(part.value);
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

/** An error from before MCP, in the form of MCP. */
export function jsonRpcErrorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

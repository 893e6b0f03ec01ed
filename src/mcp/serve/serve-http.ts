import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wait } from '../../protocol/base/clock.js';
import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { INTERNAL_ERROR, SERVER_ERROR } from '../json-rpc/codes.js';
import { hostnameOf, hostnamesOf } from './hostnames.js';
import { type Exchange, HttpClients } from './http-clients.js';
import { jsonRpcErrorResponse, sendWebResponse, webRequest } from './node-http.js';
import { instanceToServe, type ServableServer } from './servable.js';

export interface ServeHttpOptions {
  /** 0, the default, picks a free one. */
  port?: number | undefined;
  host?: string | undefined;
  path?: string | undefined;
  /**
   * Host names by which clients may address the server, without ports. This keeps out web pages that point a domain of
   * their own at this machine. Default: `localhost` and its addresses for a loopback `host`, otherwise `host` itself.
   */
  allowedHosts?: readonly string[] | undefined;
  /** Hosts of web pages that may use the server. Default: `allowedHosts`. Clients other than browsers send none. */
  allowedOrigins?: readonly string[] | undefined;
  maxBodyBytes?: number | undefined;
  maxSessions?: number | undefined;
  /** How long a client's MCP session may be idle before it is ended, in milliseconds. */
  sessionIdleMs?: number | undefined;
}

export interface HttpServing extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Disconnects all clients; resolves when nothing of the server is left. */
  close(): Promise<void>;
}

export async function serveHttp(
  server: ServableServer,
  options: ServeHttpOptions = {},
): Promise<HttpServing> {
  const { port = 0, host = '127.0.0.1', path = '/mcp' } = options;
  const instance = instanceToServe(server, 'serveHttp');
  if (!path.startsWith('/')) {
    throw new OptionError(
      'path',
      path,
      `serveHttp: \`path\` must begin with "/"; it is ${JSON.stringify(path)}.`,
    );
  }
  const allowedHosts = hostnamesOf(host, options.allowedHosts);
  const allowedOrigins = options.allowedOrigins?.map(hostnameOf) ?? allowedHosts;
  const library = await import('@modelcontextprotocol/server');
  const { maxBodyBytes = LIMITS.maxBodyBytes, maxSessions = LIMITS.maxSessions } = options;
  const { sessionIdleMs = LIMITS.sessionIdleMs } = options;
  const clients = new HttpClients(instance, library, { maxSessions, sessionIdleMs });
  const underWay = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  /** What is wrong with a request, as far as that shows without its body. */
  const refusalOf = ({ headers, url = '/' }: IncomingMessage): Response | undefined => {
    const host = library.validateHostHeader(headers.host, allowedHosts);
    if (!host.ok) return jsonRpcErrorResponse(403, SERVER_ERROR, host.message);
    const origin = library.validateOriginHeader(headers.origin, allowedOrigins);
    if (!origin.ok) return jsonRpcErrorResponse(403, SERVER_ERROR, origin.message);
    if (url.split('?')[0] !== path) {
      return jsonRpcErrorResponse(404, SERVER_ERROR, `Not found. The MCP server is at ${path}.`);
    }
    if (closing === undefined) return undefined;
    return jsonRpcErrorResponse(503, SERVER_ERROR, 'The server is shutting down.');
  };

  const answer = async (incoming: IncomingMessage, exchange: Exchange): Promise<Response> => {
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) return refusal;
    const request = await webRequest(incoming, maxBodyBytes);
    if (request !== undefined) return clients.handle(request, exchange);
    return jsonRpcErrorResponse(413, SERVER_ERROR, `The request body is larger than ${maxBodyBytes} bytes.`);
  };

  const listener = createServer((incoming, outgoing) => {
    const answered = new Promise<void>((resolve) => outgoing.once('close', resolve));
    underWay.add(answered);
    void answered.then(() => underWay.delete(answered));
    const exchange: Exchange = {
      get unsentBytes() {
        return outgoing.writableLength;
      },
      answered,
      destroy: () => outgoing.destroy(),
    };
    void respond(
      outgoing,
      () => answer(incoming, exchange),
      () => clients.mayWrite(exchange),
    );
  });
  const actualPort = await listen(listener, port, host);

  const shutDown = async (): Promise<void> => {
    const closed = once(listener, 'close');
    listener.close();
    await clients.close();
    listener.closeIdleConnections();
    await Promise.race([Promise.all(underWay), wait(LIMITS.closeGraceMs, { keepsAlive: false })]);
    listener.closeAllConnections();
    await closed;
  };
  const close = (): Promise<void> => {
    closing ??= shutDown();
    return closing;
  };
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}${path}`;
  return { url, port: actualPort, close, [Symbol.asyncDispose]: close };
}

async function respond(
  outgoing: ServerResponse,
  answer: () => Promise<Response>,
  mayWrite: () => boolean,
): Promise<void> {
  const response = await answer().catch((error) =>
    jsonRpcErrorResponse(500, INTERNAL_ERROR, `Internal error: ${messageOf(error)}`),
  );
  // The rest of its body would only be read to be thrown away.
  if (response.status === 403 || response.status === 413) outgoing.shouldKeepAlive = false;
  await sendWebResponse(response, outgoing, mayWrite);
}

async function listen(listener: Server, port: number, host: string): Promise<number> {
  try {
    listener.listen(port, host);
    await once(listener, 'listening');
  } catch (error) {
    throw new OptionError(
      'port',
      port,
      `serveHttp: cannot listen on port ${port} of ${host}: ${messageOf(error)}`,
    );
  }
  return (listener.address() as AddressInfo).port;
}

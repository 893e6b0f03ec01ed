import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, OptionError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import { INTERNAL_ERROR } from '../json-rpc-fault.js';
import { hostnameOf, hostnamesOf } from './hostnames.js';
import { HttpSessions } from './http-sessions.js';
import { jsonRpcErrorResponse, sendWebResponse, webRequest } from './node-http.js';
import { instanceToServe, type ServableServer } from './servable.js';

export interface ServeHttpOptions {
  /** 0, and the default: a free one. */
  port?: number | undefined;
  host?: string | undefined;
  path?: string | undefined;
  /**
   * Names under which clients may address the server, without ports. A web page that points a name of its own at this
   * machine is refused by it. The default is `localhost` and its numbers for a loopback `host`, else `host` itself.
   */
  allowedHosts?: readonly string[] | undefined;
  /** Hosts of web pages that may use the server. The default is `allowedHosts`. Clients that are no browsers send none. */
  allowedOrigins?: readonly string[] | undefined;
  maxBodyBytes?: number | undefined;
  maxSessions?: number | undefined;
  /** How long a session may lie unused before it is ended, in milliseconds. */
  sessionIdleMs?: number | undefined;
}

export interface HttpServing extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends all sessions; resolves when nothing of the server is left. */
  close(): Promise<void>;
}

const SERVER_ERROR = -32_000;

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
  const sessions = new HttpSessions(instance, library, { maxSessions, sessionIdleMs });
  const underWay = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  /** What can be said without reading the body. */
  const refusalOf = ({ headers, url = '/' }: IncomingMessage): Response | undefined => {
    const host = library.validateHostHeader(headers.host, allowedHosts);
    if (!host.ok) return jsonRpcErrorResponse(403, SERVER_ERROR, host.message);
    const origin = library.validateOriginHeader(headers.origin, allowedOrigins);
    if (!origin.ok) return jsonRpcErrorResponse(403, SERVER_ERROR, origin.message);
    if (url.split('?')[0] !== path) {
      return jsonRpcErrorResponse(404, SERVER_ERROR, `Not found. The MCP server is at ${path}.`);
    }
    if (closing === undefined) return undefined;
    return jsonRpcErrorResponse(503, SERVER_ERROR, 'The server is being closed.');
  };

  const answer = async (incoming: IncomingMessage, answered: Promise<void>): Promise<Response> => {
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) return refusal;
    const request = await webRequest(incoming, maxBodyBytes);
    if (request !== undefined) return sessions.handle(request, answered);
    return jsonRpcErrorResponse(413, SERVER_ERROR, `The request has more than ${maxBodyBytes} bytes.`);
  };

  const listener = createServer((incoming, outgoing) => {
    const answered = new Promise<void>((resolve) => outgoing.once('close', resolve));
    underWay.add(answered);
    void answered.then(() => underWay.delete(answered));
    void respond(outgoing, () => answer(incoming, answered));
  });
  const actualPort = await listen(listener, port, host);

  const shutDown = async (): Promise<void> => {
    const closed = once(listener, 'close');
    listener.close();
    await sessions.close();
    listener.closeIdleConnections();
    await Promise.race([Promise.all(underWay), wait(LIMITS.closeGraceMs, undefined, { ref: false })]);
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

async function respond(outgoing: ServerResponse, answer: () => Promise<Response>): Promise<void> {
  const response = await answer().catch((error) =>
    jsonRpcErrorResponse(500, INTERNAL_ERROR, `Internal error: ${messageOf(error)}`),
  );
  // Its body was not read to the end, and Node would do that only to throw it away.
  if (response.status === 403 || response.status === 413) outgoing.shouldKeepAlive = false;
  await sendWebResponse(response, outgoing);
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

import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { SERVER_ERROR, SESSION_NOT_FOUND } from '../json-rpc/codes.js';
import type { ManyConnectionsServer, McpTransport } from '../types.js';
import { jsonRpcErrorResponse } from './node-http.js';
import { ReplayStore } from './replay-store.js';

type Library = typeof import('@modelcontextprotocol/server');
type HttpTransport = InstanceType<Library['WebStandardStreamableHTTPServerTransport']>;

interface HttpClient {
  readonly transport: HttpTransport;
  /** Requests being answered, including an open event stream. */
  readonly open: Set<Exchange>;
  idleTimer: Timer | undefined;
}

/** One request, and what its answer is written to. */
export interface Exchange {
  /** Bytes that the client has not taken yet. */
  readonly unsentBytes: number;
  /** Resolves when the response was sent or is no longer wanted. */
  readonly answered: Promise<void>;
  destroy(): void;
}

export interface HttpClientLimits {
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
}

/** The clients of one HTTP server, by the `Mcp-Session-Id` of each; each has a connection of its own to the served value. */
export class HttpClients {
  readonly #server: ManyConnectionsServer;
  readonly #library: Library;
  readonly #limits: HttpClientLimits;
  /** In the order of their last use. */
  readonly #clients = new Map<string, HttpClient>();
  #closed = false;

  constructor(server: ManyConnectionsServer, library: Library, limits: HttpClientLimits) {
    this.#server = server;
    this.#library = library;
    this.#limits = limits;
  }

  async handle(request: Request, exchange: Exchange): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#open(request, exchange);
    const client = this.#clients.get(id);
    if (client === undefined) return jsonRpcErrorResponse(404, SESSION_NOT_FOUND, 'Session not found');
    this.#use(id, client, exchange);
    return client.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#clients.values()].map(({ transport }) => transport.close()));
  }

  /** A first request. If it is not a handshake, the library reports what is wrong with it. */
  async #open(request: Request, exchange: Exchange): Promise<Response> {
    if (!this.#makeRoom())
      return jsonRpcErrorResponse(503, SERVER_ERROR, 'Too many sessions; try again later.');
    const transport = new this.#library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => clock.uuid(),
      onsessioninitialized: (id) => this.#use(id, client, exchange),
      eventStore: new ReplayStore(),
      retryInterval: LIMITS.streamRetryAfterMs,
      // The size of the body was checked when it was read.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
    const client: HttpClient = { transport, open: new Set(), idleTimer: undefined };
    await this.#server.connect(transport as McpTransport);
    const endConnection = transport.onclose;
    transport.onclose = () => {
      clock.clearTimeout(client.idleTimer);
      if (transport.sessionId !== undefined) this.#clients.delete(transport.sessionId);
      endConnection?.();
    };
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined || this.#closed) await transport.close();
    return response;
  }

  /** Whether more may be written to the client. One that has not read for too long loses its session. */
  mayWrite(exchange: Exchange): boolean {
    const client = [...this.#clients.values()].find(({ open }) => open.has(exchange));
    const unsent = [...(client?.open ?? [exchange])].reduce((sum, { unsentBytes }) => sum + unsentBytes, 0);
    if (unsent <= LIMITS.maxUnsentBytes) return true;
    emitWarning(
      `A client of an MCP server over HTTP has not read ${unsent} bytes. It was cut off; it may open a new session.`,
      { type: 'TenonWarning', code: 'TENON_STALLED_CLIENT' },
    );
    void client?.transport.close();
    for (const each of client?.open ?? [exchange]) each.destroy();
    return false;
  }

  #use(id: string, client: HttpClient, exchange: Exchange): void {
    this.#clients.delete(id);
    this.#clients.set(id, client);
    client.open.add(exchange);
    clock.clearTimeout(client.idleTimer);
    void exchange.answered.then(() => {
      client.open.delete(exchange);
      if (client.open.size > 0 || !this.#clients.has(id)) return;
      client.idleTimer = clock.setTimeout(() => void client.transport.close(), this.#limits.sessionIdleMs);
      unref(client.idleTimer);
    });
  }

  /** Disconnects the client that has been idle longest. False when all are in use. */
  #makeRoom(): boolean {
    if (this.#clients.size < this.#limits.maxSessions) return true;
    const idle = [...this.#clients.values()].find(({ open }) => open.size === 0);
    void idle?.transport.close();
    return idle !== undefined;
  }
}

import { randomUUID } from 'node:crypto';
import type { ManyConnectionsServer, McpTransport } from '../../protocol/mcp.js';
import { jsonRpcErrorResponse } from './node-http.js';
import { ReplayStore } from './replay-store.js';

type Library = typeof import('@modelcontextprotocol/server');
type HttpTransport = InstanceType<Library['WebStandardStreamableHTTPServerTransport']>;

interface Session {
  readonly transport: HttpTransport;
  /** Requests being answered, an open event stream among them. */
  inUse: number;
  idleTimer: NodeJS.Timeout | undefined;
}

export interface SessionLimits {
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
}

/** What a client is told to wait before it connects again, in milliseconds. */
const RETRY_AFTER_MS = 1_000;
const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** The MCP sessions of one HTTP server. Each is a connection of its own to the served value. */
export class HttpSessions {
  readonly #server: ManyConnectionsServer;
  readonly #library: Library;
  readonly #limits: SessionLimits;
  /** In the order of their last use. */
  readonly #sessions = new Map<string, Session>();
  #closed = false;

  constructor(server: ManyConnectionsServer, library: Library, limits: SessionLimits) {
    this.#server = server;
    this.#library = library;
    this.#limits = limits;
  }

  /** `answered` resolves when the response was sent, or nobody wants it any more. */
  async handle(request: Request, answered: Promise<void>): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#open(request, answered);
    const session = this.#sessions.get(id);
    if (session === undefined) return jsonRpcErrorResponse(404, SESSION_NOT_FOUND, 'Session not found');
    this.#use(id, session, answered);
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /** A first request. If it is no handshake, the library says what is wrong with it. */
  async #open(request: Request, answered: Promise<void>): Promise<Response> {
    if (!this.#makeRoom())
      return jsonRpcErrorResponse(503, SERVER_ERROR, 'Too many sessions; try again later.');
    const transport = new this.#library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#use(id, session, answered),
      eventStore: new ReplayStore(),
      retryInterval: RETRY_AFTER_MS,
      // The body has been read and found short enough before it comes here.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
    const session: Session = { transport, inUse: 0, idleTimer: undefined };
    await this.#server.connect(transport as McpTransport);
    const endSession = transport.onclose;
    transport.onclose = () => {
      clearTimeout(session.idleTimer);
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      endSession?.();
    };
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined || this.#closed) await transport.close();
    return response;
  }

  #use(id: string, session: Session, answered: Promise<void>): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.inUse += 1;
    clearTimeout(session.idleTimer);
    void answered.then(() => {
      session.inUse -= 1;
      if (session.inUse > 0 || !this.#sessions.has(id)) return;
      session.idleTimer = setTimeout(() => void session.transport.close(), this.#limits.sessionIdleMs);
      session.idleTimer.unref();
    });
  }

  /** Ends the session that lies unused for the longest time. False when all are in use. */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#limits.maxSessions) return true;
    const idle = [...this.#sessions.values()].find(({ inUse }) => inUse === 0);
    void idle?.transport.close();
    return idle !== undefined;
  }
}

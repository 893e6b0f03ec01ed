/**
 * A small MCP server over HTTP that can be told to misbehave. Written by hand, so that it can do what no library does. Its one
 * tool, `do`, writes down each call that it carries out: `{ id, ms?, size? }` gives `id` back.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Behaviour {
  /** Answers nothing at all. */
  hangs: boolean;
  /** So many requests get a 404. */
  notFound: number;
  /** Each call: the socket is cut before or after it was carried out. */
  drops: 'before' | 'after' | undefined;
  /** Each answer waits so long. */
  slowMs: number;
  /** Lets nobody in without this `Authorization`. */
  token: string | undefined;
  /** Of a call's answer: a stream of events or one JSON text. */
  answersInStream: boolean;
  /** Says "No valid session" with this status. */
  unknownSessionStatus: number;
}

const WELL: Behaviour = {
  hangs: false,
  notFound: 0,
  drops: undefined,
  slowMs: 0,
  token: undefined,
  answersInStream: true,
  unknownSessionStatus: 404,
};

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };
type Call = { id?: string; ms?: number; size?: number };

const TOOL = {
  name: 'do',
  description: 'Does it',
  inputSchema: { type: 'object', additionalProperties: true },
};

export class UnrulyServer implements AsyncDisposable {
  behaviour: Behaviour = { ...WELL };
  /** The ids of the calls that were carried out, in order. */
  readonly done: string[] = [];
  /** Of every request: its method and headers. */
  readonly seen: { method: string; authorization: string | undefined }[] = [];
  /** How often somebody shook hands. */
  handshakes = 0;
  tools: object[] = [TOOL];
  #server: Server | undefined;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Map<string, ServerResponse | undefined>();

  static async start(behaviour: Partial<Behaviour> = {}): Promise<UnrulyServer> {
    const server = new UnrulyServer();
    server.behave(behaviour);
    await server.open();
    return server;
  }

  behave(behaviour: Partial<Behaviour>): void {
    this.behaviour = { ...WELL, ...behaviour };
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** For the older transport. */
  get sseUrl(): string {
    return `http://127.0.0.1:${this.#port}/sse`;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Listens, at the same place as before. */
  async open(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As if killed: all sockets are cut, all sessions are gone, nobody listens. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.forgetSessions();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.open();
  }

  forgetSessions(): void {
    for (const stream of this.#sessions.values()) stream?.end();
    this.#sessions.clear();
  }

  /** Says something on its own, to all. */
  tell(method: string, params: object = {}): void {
    for (const stream of this.#sessions.values()) stream?.write(event({ jsonrpc: '2.0', method, params }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const message = request.method === 'POST' ? ((await body(request)) as Message) : {};
    const { authorization } = request.headers;
    this.seen.push({ method: message.method ?? String(request.method), authorization });
    const { hangs, slowMs, token } = this.behaviour;
    if (hangs) return;
    if (slowMs > 0) await wait(slowMs);
    if (token !== undefined && authorization !== token) {
      const challenge = 'Bearer realm="unruly", error="invalid_token", scope="all of it"';
      response.writeHead(401, { 'www-authenticate': challenge }).end('Who are you?');
      return;
    }
    if (this.behaviour.notFound > 0) {
      this.behaviour.notFound -= 1;
      response.writeHead(404).end('Not found');
      return;
    }
    const path = new URL(request.url ?? '/', 'http://localhost');
    if (path.pathname === '/mcp') await this.#streamable(request, response, message);
    else if (path.pathname === '/sse' && request.method === 'GET') this.#openEvents(response);
    else await this.#posted(path.searchParams.get('session') ?? '', response, message);
  }

  async #streamable(request: IncomingMessage, response: ServerResponse, message: Message): Promise<void> {
    if (message.method === 'initialize') {
      const session = randomUUID();
      this.#sessions.set(session, undefined);
      this.handshakes += 1;
      response.setHeader('mcp-session-id', session);
      return json(response, { jsonrpc: '2.0', id: message.id, result: INTRODUCTION });
    }
    const session = String(request.headers['mcp-session-id']);
    if (!this.#sessions.has(session)) {
      response.writeHead(this.behaviour.unknownSessionStatus).end('No valid session');
      return;
    }
    if (request.method === 'DELETE') {
      this.#sessions.get(session)?.end();
      this.#sessions.delete(session);
      response.end();
    } else if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      this.#sessions.set(session, response);
    } else if (message.id === undefined) response.writeHead(202).end();
    else {
      const answer = await this.#carryOut(message, response);
      if (answer === undefined) return;
      if (!this.behaviour.answersInStream) return json(response, answer);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(answer));
    }
  }

  #openEvents(response: ServerResponse): void {
    const session = randomUUID();
    this.#sessions.set(session, response);
    response.on('close', () => this.#sessions.delete(session));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
  }

  async #posted(session: string, response: ServerResponse, message: Message): Promise<void> {
    const stream = this.#sessions.get(session);
    if (stream === undefined) {
      response.writeHead(404).end('No valid session');
      return;
    }
    if (message.method === 'initialize') this.handshakes += 1;
    response.writeHead(202).end();
    if (message.id === undefined) return;
    const answer = await this.#carryOut(message, stream);
    if (answer !== undefined) stream.write(event(answer));
  }

  async #carryOut(
    { id, method, params = {} }: Message,
    response: ServerResponse,
  ): Promise<object | undefined> {
    const answer = (result: object) => ({ jsonrpc: '2.0', id, result });
    if (method === 'initialize') return answer(INTRODUCTION);
    if (method === 'tools/list') return answer({ tools: this.tools });
    if (method !== 'tools/call') return answer({});
    const { id: call = '', ms = 0, size = 0 } = params.arguments as Call;
    const { drops } = this.behaviour;
    if (drops === 'before') {
      response.destroy();
      return undefined;
    }
    this.done.push(call);
    if (ms > 0) await wait(ms);
    if (drops === 'after') {
      response.destroy();
      return undefined;
    }
    return answer({ content: [{ type: 'text', text: call + 'x'.repeat(size) }] });
  }
}

const INTRODUCTION = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'unruly', version: '1.0.0' },
};

function json(response: ServerResponse, value: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

async function body(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** An MCP server that wants a token, and an authorization server that grants one, both on one port. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnrulyServer } from './unruly-server.js';

/** What the server says of itself, if not the truth. */
export interface Claims {
  /** Fields of the protected resource's metadata. */
  resource?: Record<string, unknown>;
  /** Fields of the authorization server's metadata. */
  metadata?: Record<string, unknown>;
  /** Where requests for metadata are redirected to. */
  metadataAt?: string;
}

export class AuthorizationServer implements AsyncDisposable {
  /** How tokens were asked for. */
  readonly grants: string[] = [];
  readonly #resource: UnrulyServer;
  readonly #server: Server;
  readonly #claims: Claims;
  #token = randomUUID();

  private constructor(resource: UnrulyServer, claims: Claims) {
    this.#resource = resource;
    this.#claims = claims;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(claims: Claims = {}): Promise<AuthorizationServer> {
    const resource = await UnrulyServer.start();
    const server = new AuthorizationServer(resource, claims);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    resource.behave({ token: `Bearer ${server.#token}` });
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** As a browser would: the address that the person is sent back to. */
  async visit(url: URL): Promise<string> {
    const response = await fetch(url, { redirect: 'manual' });
    return response.headers.get('location') ?? '';
  }

  expireTokens(): void {
    this.#token = randomUUID();
    this.#resource.behave({ token: `Bearer ${this.#token}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#resource[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    const say = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      say({ resource: this.url, authorization_servers: [this.origin], ...this.#claims.resource });
    } else if (pathname.startsWith('/.well-known/') && this.#claims.metadataAt !== undefined) {
      response.writeHead(302, { location: this.#claims.metadataAt }).end();
    } else if (pathname.startsWith('/.well-known/')) {
      say({
        issuer: this.origin,
        authorization_endpoint: `${this.origin}/authorize`,
        token_endpoint: `${this.origin}/token`,
        registration_endpoint: `${this.origin}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        ...this.#claims.metadata,
      });
    } else if (pathname === '/register') {
      const metadata = JSON.parse(await read(request));
      say({ ...metadata, client_id: 'registered' });
    } else if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'granted');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    } else if (pathname === '/token') {
      this.grants.push(new URLSearchParams(await read(request)).get('grant_type') ?? '');
      say({ access_token: this.#token, token_type: 'Bearer', expires_in: 3600, refresh_token: 'again' });
    } else await this.#forward(request, response);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization = '', accept = '' } = request.headers;
    const session = request.headers['mcp-session-id'];
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await fetch(this.#resource.url, {
      method: request.method ?? 'GET',
      headers: {
        authorization,
        accept,
        ...(session === undefined ? {} : { 'mcp-session-id': String(session) }),
      },
      signal: gone.signal,
      ...(request.method === 'POST' ? { body: await read(request) } : {}),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // One of the two has left.
    }
    response.end();
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

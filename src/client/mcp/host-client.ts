import { Cancellation } from '../../protocol/cancellation.js';
import { TenonError } from '../../protocol/errors.js';
import type { JsonRpcResponse, McpServerInstance } from '../../protocol/mcp.js';
import { LATEST_PROTOCOL_VERSION } from '../../protocol/mcp-versions.js';
import { connectServer } from './connect-server.js';
import type { ServerConnection } from './server-connection.js';

const HANDSHAKE = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'tenon-host', version: '1.0.0' },
};

/** The host as a client of its own in-process server, beside the agent: for resources and prompts. */
export class HostClient {
  readonly #name: string;
  readonly #connection: ServerConnection;
  readonly #ended = new Cancellation();
  readonly #capabilities: Promise<Record<string, unknown>>;
  #nextId = 0;

  constructor(name: string, instance: McpServerInstance) {
    this.#name = name;
    this.#connection = connectServer(name, instance, {
      sessionId: undefined,
      capabilities: {},
      notify: () => {},
      serve: async ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
      debug: () => {},
    });
    this.#capabilities = this.#begin();
    this.#capabilities.catch(() => {});
  }

  /** Whether the server says that it has this kind of thing. */
  async has(kind: 'resources' | 'prompts'): Promise<boolean> {
    return (await this.#capabilities)[kind] !== undefined;
  }

  async request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.#capabilities;
    return this.#send(method, params);
  }

  /** All pages of a list. */
  async list<Item>(method: string, key: string): Promise<Item[]> {
    const items: Item[] = [];
    const seen = new Set<unknown>();
    let cursor: unknown;
    do {
      if (seen.has(cursor)) throw this.#failed(`${method} with pages that go in a circle.`);
      seen.add(cursor);
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...((page[key] as Item[] | undefined) ?? []));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  }

  close(): void {
    this.#ended.cancel(new Error('The query has ended.'));
    this.#connection.close();
  }

  async #begin(): Promise<Record<string, unknown>> {
    const { capabilities } = await this.#send('initialize', HANDSHAKE);
    const message = { jsonrpc: '2.0' as const, method: 'notifications/initialized' };
    await this.#connection.receive(message, this.#ended);
    return (capabilities ?? {}) as Record<string, unknown>;
  }

  async #send(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const request = { jsonrpc: '2.0' as const, id: this.#nextId++, method, params };
    const answer = (await this.#connection.receive(request, this.#ended)) as {
      mcp_response: JsonRpcResponse;
    };
    const response = answer.mcp_response;
    if (!('error' in response)) return response.result;
    throw this.#failed(`${method} with an error: ${response.error.message}`);
  }

  #failed(what: string): TenonError {
    return new TenonError('SERVER_FAILED', `The MCP server "${this.#name}" answered ${what}`);
  }
}

import type { AgentConnection, McpHost } from '../../mcp/in-process/agent-connection.js';
import { connectServer } from '../../mcp/in-process/agent-connection.js';
import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { listPages } from '../../mcp/json-rpc/list-pages.js';
import { JsonRpcPeer } from '../../mcp/json-rpc/peer.js';
import type { JsonRpcMessage, McpServerInstance } from '../../mcp/types.js';
import { LATEST_PROTOCOL_VERSION } from '../../mcp/versions.js';
import { Cancellation } from '../../protocol/base/cancellation.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';

const HANDSHAKE = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'tenon-host', version: '1.0.0' },
};

/** The host as a client of its own in-process server, independent of the agent: for resources and prompts. */
export class HostClient {
  readonly #name: string;
  readonly #connection: AgentConnection;
  readonly #peer: JsonRpcPeer;
  readonly #capabilities: Promise<Record<string, unknown>>;

  constructor(name: string, instance: McpServerInstance) {
    this.#name = name;
    this.#connection = connectServer(name, instance, NO_HOST);
    this.#peer = new JsonRpcPeer({ send: (message) => this.#send(message) });
    this.#capabilities = this.#begin();
    this.#capabilities.catch(() => {});
  }

  /** Whether the server announces this capability. */
  async has(kind: 'resources' | 'prompts'): Promise<boolean> {
    return (await this.#capabilities)[kind] !== undefined;
  }

  async request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.#capabilities;
    return this.#answer(method, this.#peer.request(method, params));
  }

  /** All pages of a list. */
  async list<Item>(method: string): Promise<Item[]> {
    await this.#capabilities;
    return this.#answer(method, listPages<Item>(this.#peer, this.#name, method));
  }

  close(): void {
    this.#peer.end(new TenonError('CLOSED', 'The query has ended.'));
    this.#connection.close();
  }

  async #begin(): Promise<Record<string, unknown>> {
    const { capabilities } = await this.#answer('initialize', this.#peer.request('initialize', HANDSHAKE));
    await this.#peer.notify('notifications/initialized');
    return (capabilities ?? {}) as Record<string, unknown>;
  }

  async #send(message: JsonRpcMessage): Promise<void> {
    const { mcp_response } = await this.#connection.receive(message, new Cancellation());
    if ('method' in message && 'id' in message) this.#peer.receive(mcp_response as JsonRpcMessage);
  }

  async #answer<Result>(method: string, result: Promise<Result>): Promise<Result> {
    try {
      return await result;
    } catch (error) {
      // For example, a server object that its owner has connected elsewhere.
      if (error instanceof TenonError) throw error;
      throw new TenonError(
        'SERVER_FAILED',
        `The MCP server "${this.#name}" failed to answer ${method}: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }
}

/** A host that ignores notifications and refuses requests. */
const NO_HOST: McpHost = {
  sessionId: undefined,
  capabilities: {},
  notify: () => {},
  serve: () => Promise.reject(new JsonRpcFault(METHOD_NOT_FOUND, 'Method not found')),
  progressed: () => {},
  warn: () => {},
  debug: () => {},
};

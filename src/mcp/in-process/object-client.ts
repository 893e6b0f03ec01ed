// What only the command needs of this package, from the same copy of it that a conversation uses: a server object of the
// MCP library has one connection, which both must share.

import { Cancellation } from '../../protocol/base/cancellation.js';
import { clock } from '../../protocol/base/clock.js';
import { AbortError } from '../../protocol/base/errors.js';
import { METHOD_NOT_FOUND } from '../json-rpc/codes.js';
import { JsonRpcFault } from '../json-rpc/fault.js';
import { listPages } from '../json-rpc/list-pages.js';
import { JsonRpcPeer, type JsonRpcRequestOptions, JsonRpcTimeout } from '../json-rpc/peer.js';
import type {
  CallToolResult,
  Implementation,
  InitializeResult,
  JsonRpcMessage,
  JsonRpcRequest,
  ListedTool,
  McpServerInstance,
} from '../types.js';
import { LATEST_PROTOCOL_VERSION } from '../versions.js';
import { type AgentConnection, connectServer } from './agent-connection.js';

export type CallOptions = Pick<JsonRpcRequestOptions, 'signal' | 'timeoutMs' | 'onProgress'>;

export interface ObjectClientOptions {
  readonly clientInfo: Implementation;
  /** Receives what the server logs. */
  log?(entry: Record<string, unknown>): void;
}

/**
 * A client of one server object, connected as a conversation is: checks, limits and middleware of the server count as
 * they do for an agent.
 */
export class ObjectClient {
  readonly handshake: Promise<InitializeResult>;
  readonly #name: string;
  readonly #peer: JsonRpcPeer;
  readonly #connection: AgentConnection;

  constructor(name: string, instance: McpServerInstance, { clientInfo, log }: ObjectClientOptions) {
    this.#name = name;
    this.#peer = new JsonRpcPeer({
      // Sent is not answered: the peer has its own clock for that.
      send: async (message) => void this.#pass(message),
      serve,
      notified: ({ method, params = {} }) => {
        if (method === 'notifications/message') log?.(params);
        // A call that changes the tools is answered when the new list has been read.
        if (method === 'notifications/tools/list_changed') this.tools().catch(() => {});
      },
    });
    this.#connection = connectServer(name, instance, {
      sessionId: undefined,
      capabilities: {},
      notify: (message) => this.#peer.receive(message),
      serve,
      progressed: () => {},
      warn: () => {},
      debug: () => {},
    });
    this.handshake = this.#shakeHands(clientInfo);
    // Whoever uses the client is told.
    this.handshake.catch(() => {});
  }

  async tools(): Promise<ListedTool[]> {
    await this.handshake;
    return listPages<ListedTool>(this.#peer, this.#name, 'tools/list', {});
  }

  async call(name: string, input: object, options: CallOptions = {}): Promise<CallToolResult> {
    await this.handshake;
    const params = { name, arguments: input, _meta: { 'claudecode/toolUseId': `toolu_${clock.uuid()}` } };
    const { onProgress = () => {} } = options;
    const result = await this.#peer.request('tools/call', params, { ...options, onProgress });
    return result as CallToolResult;
  }

  close(): void {
    this.#peer.end(new AbortError('The connection was closed.'));
    this.#connection.close();
  }

  async #shakeHands(clientInfo: Implementation): Promise<InitializeResult> {
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const result = await this.#peer.request('initialize', params);
    await this.#peer.notify('notifications/initialized');
    return result as InitializeResult;
  }

  async #pass(message: JsonRpcMessage): Promise<void> {
    try {
      const { mcp_response: response } = await this.#connection.receive(message, new Cancellation());
      if ('id' in response) this.#peer.receive(response);
    } catch (error) {
      this.#peer.end(error as Error);
    }
  }
}

/** Whether a call was given up because of its time limit. */
export function isTimeout(error: unknown): boolean {
  return error instanceof JsonRpcTimeout;
}

/** There is no agent behind this client, and a person is not asked in the middle of a script. */
async function serve({ method }: JsonRpcRequest): Promise<Record<string, unknown>> {
  if (method === 'ping') return {};
  throw new JsonRpcFault(METHOD_NOT_FOUND, `Method not found: ${method}. It needs an agent: tenon run.`);
}

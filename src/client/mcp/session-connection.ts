import type { Cancellation } from '../../protocol/cancellation.js';
import { messageOf } from '../../protocol/errors.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  ManyConnectionsServer,
} from '../../protocol/mcp.js';
import type { McpServerSession, McpSessionClient } from '../../protocol/mcp-link/session.js';
import {
  CANCELLED,
  failure,
  INTERNAL_ERROR,
  type McpAnswer,
  type McpPeer,
  RECEIVED,
  type ServerConnection,
  withCapabilities,
} from './server-connection.js';
import { ServerMessages } from './server-messages.js';

/** A connection to a server of our own: it takes any number of them, and requests are calls. */
export class SessionConnection implements ServerConnection, McpSessionClient {
  readonly #name: string;
  readonly #peer: McpPeer;
  readonly #session: McpServerSession;
  readonly #messages: ServerMessages;
  #isEnded = false;
  #isServerClosed = false;

  constructor(name: string, server: ManyConnectionsServer, peer: McpPeer) {
    this.#name = name;
    this.#peer = peer;
    this.#session = server.open(this, 'claude-code');
    this.#messages = new ServerMessages(peer, (response) => this.#session.receive(response));
  }

  receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    if ('method' in message && 'id' in message) return this.#request(message, cancellation);
    try {
      this.#session.receive(message);
    } catch (error) {
      this.#peer.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
    return Promise.resolve(RECEIVED);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#messages.end();
    this.#session.end();
  }

  /** A request that is cancelled is answered at once, whatever the server's code does. */
  #request(request: JsonRpcRequest, cancellation: Cancellation): Promise<McpAnswer> {
    return new Promise((resolve) => {
      const settle = (response: JsonRpcResponse): void => {
        cancellation.off(cancel);
        resolve(this.#messages.answerTo(request, response));
      };
      const cancel = (): void => resolve({ mcp_response: this.#cancelled(request) });
      if (this.#isEnded || cancellation.isCancelled) {
        cancel();
        return;
      }
      cancellation.on(cancel);
      void this.#session.request(withCapabilities(request, this.#peer), cancellation).then(settle);
    });
  }

  #cancelled(request: JsonRpcRequest): JsonRpcResponse {
    if (this.#isEnded) return failure(request, CANCELLED, 'The conversation has ended.');
    if (!this.#isServerClosed) return failure(request, CANCELLED, 'Request cancelled');
    return failure(request, INTERNAL_ERROR, `The MCP server "${this.#name}" was closed.`);
  }

  // What the session asks of its client (McpSessionClient).

  get sessionId(): string | undefined {
    return this.#peer.sessionId;
  }

  async send(message: JsonRpcRequest | JsonRpcNotification): Promise<void> {
    if (!this.#isEnded) this.#messages.receive(message);
  }

  async serverClosed(): Promise<void> {
    this.#isServerClosed = true;
  }
}

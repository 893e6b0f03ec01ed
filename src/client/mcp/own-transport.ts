import type { JsonRpcMessage, McpTransport } from '../../protocol/mcp.js';
import type { McpPeer } from './mcp-connection.js';

/** What a server of our own sends through, in one conversation. */
export class OwnTransport implements McpTransport {
  onmessage?: McpTransport['onmessage'];
  onclose?: McpTransport['onclose'];
  onerror?: McpTransport['onerror'];
  readonly #peer: McpPeer;
  readonly #fromServer: (message: JsonRpcMessage) => void;
  readonly #serverGone: () => void;

  constructor(peer: McpPeer, fromServer: (message: JsonRpcMessage) => void, serverGone: () => void) {
    this.#peer = peer;
    this.#fromServer = fromServer;
    this.#serverGone = serverGone;
  }

  get sessionId(): string | undefined {
    return this.#peer.sessionId;
  }

  async start(): Promise<void> {}

  async send(message: JsonRpcMessage): Promise<void> {
    this.#fromServer(message);
  }

  async close(): Promise<void> {
    this.#serverGone();
  }
}

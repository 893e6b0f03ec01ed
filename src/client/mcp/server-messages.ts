import type { JsonRpcId, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../protocol/mcp.js';
import { normalizeUnknownTool } from './mcp-compat.js';
import { Relisting } from './relisting.js';
import type { McpAnswer, McpPeer } from './server-connection.js';

/** What a server says by itself: its questions are answered on this side, its notifications go to the agent. */
export class ServerMessages {
  readonly #relisting = new Relisting();
  readonly #peer: McpPeer;
  readonly #answer: (response: JsonRpcResponse) => void;
  /** The open questions, by the server's ids. */
  #serving: Map<JsonRpcId, AbortController> | undefined;

  constructor(peer: McpPeer, answer: (response: JsonRpcResponse) => void) {
    this.#peer = peer;
    this.#answer = answer;
  }

  receive(message: JsonRpcRequest | JsonRpcNotification): void {
    if ('id' in message) {
      void this.#serve(message);
    } else if (message.method === 'notifications/cancelled') {
      // Of a question of its own, which is served here and not by the agent.
      this.#serving?.get(message.params?.requestId as JsonRpcId)?.abort(message.params?.reason);
    } else {
      this.#peer.notify(message);
      if (message.method === 'notifications/tools/list_changed') this.#relisting.begin();
    }
  }

  /** What the agent gets for a request. A call that has changed the tools is answered when the agent has read them. */
  answerTo(request: JsonRpcRequest, response: JsonRpcResponse): McpAnswer | Promise<McpAnswer> {
    const answer = { mcp_response: normalizeUnknownTool(request, response) };
    if (request.method === 'tools/list') this.#relisting.answered(response);
    if (request.method !== 'tools/call' || this.#relisting.done === undefined) return answer;
    return this.#relisting.done.then(() => answer);
  }

  end(): void {
    this.#relisting.end();
    for (const controller of this.#serving?.values() ?? []) controller.abort();
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const withdrawn = new AbortController();
    this.#serving ??= new Map();
    this.#serving.set(request.id, withdrawn);
    const response = await this.#peer.serve(request, withdrawn.signal);
    this.#serving.delete(request.id);
    // MCP: a cancelled request gets no answer.
    if (!withdrawn.signal.aborted) this.#answer(response);
  }
}

import type { Cancellation } from '../../protocol/base/cancellation.js';
import { messageOf } from '../../protocol/base/errors.js';
import { JsonRpcPeer } from '../json-rpc/peer.js';
import type { ClientEnd, ServerEnd } from '../link/ends.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  McpAcknowledgement,
} from '../types.js';
import { normalizeUnknownTool } from './library-differences.js';
import { Relisting } from './relisting.js';

/** What a server finds at the agent's end: notifications go to the agent, requests to the host. */
export interface McpHost {
  readonly sessionId: string | undefined;
  /** The host's capabilities beyond those of the agent, such as `elicitation`. */
  readonly capabilities: Record<string, unknown>;
  notify(message: JsonRpcNotification): void;
  /** Returns the result of a server's request, or throws a `JsonRpcFault` to refuse it. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<Record<string, unknown>>;
  debug(message: string): void;
}

export interface McpAnswer {
  mcp_response: JsonRpcResponse | McpAcknowledgement;
}

/** Without an object here the CLI considers the server dead. No id, because it could match an open request. */
const RECEIVED: McpAnswer = { mcp_response: { jsonrpc: '2.0', result: {} } };

/** One conversation's connection to one MCP server object. Every request of the agent is answered exactly once. */
export class AgentConnection implements ClientEnd {
  readonly #name: string;
  readonly #host: McpHost;
  readonly #server: ServerEnd;
  readonly #relisting = new Relisting();
  /** Serves the server's own requests, which most servers never make. */
  #questions: JsonRpcPeer | undefined;
  #isClosed = false;

  constructor(name: string, open: (client: ClientEnd) => ServerEnd, host: McpHost) {
    this.#name = name;
    this.#host = host;
    this.#server = open(this);
  }

  /** Takes one message of the agent; resolves with the payload of the answer. */
  receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    if ('method' in message && 'id' in message) {
      return this.#server
        .answer(this.#withCapabilities(message), cancellation)
        .then((response) => this.#answerTo(message, response, cancellation));
    }
    try {
      this.#server.receive(message);
    } catch (error) {
      this.#host.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
    return Promise.resolve(RECEIVED);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#relisting.end();
    this.#questions?.end(new Error('The conversation has ended.'));
    this.#server.end();
  }

  /** The answer to a call that changed the tools waits until the agent has read them. */
  #answerTo(
    request: JsonRpcRequest,
    response: JsonRpcResponse,
    { isCancelled }: Cancellation,
  ): McpAnswer | Promise<McpAnswer> {
    const answer = { mcp_response: normalizeUnknownTool(request, response) };
    if (request.method === 'tools/list') this.#relisting.answered(response);
    if (request.method !== 'tools/call' || isCancelled || this.#relisting.done === undefined) return answer;
    return this.#relisting.done.then(() => answer);
  }

  /** The agent announces no capabilities to in-process servers; the host's are added. */
  #withCapabilities(request: JsonRpcRequest): JsonRpcRequest {
    if (request.method !== 'initialize') return request;
    const { params } = request;
    const capabilities = { ...(params?.capabilities as object | undefined), ...this.#host.capabilities };
    return { ...request, params: { ...params, capabilities } };
  }

  // What the server says (ClientEnd).

  get sessionId(): string | undefined {
    return this.#host.sessionId;
  }

  async send(message: JsonRpcRequest | JsonRpcNotification): Promise<void> {
    if (this.#isClosed) return;
    if ('id' in message) {
      this.#questions ??= this.#serveQuestions();
      this.#questions.receive(message);
    } else if (message.method === 'notifications/cancelled') {
      // It cancels its own request, which is served here and not by the agent.
      this.#questions?.receive(message);
    } else {
      this.#host.notify(message);
      if (message.method === 'notifications/tools/list_changed') this.#relisting.begin();
    }
  }

  async serverClosed(): Promise<void> {}

  #serveQuestions(): JsonRpcPeer {
    return new JsonRpcPeer({
      send: async (response) => this.#server.receive(response as JsonRpcResponse),
      serve: (request, cancellation) => {
        const withdrawn = new AbortController();
        cancellation.on(() => withdrawn.abort(this.#isClosed ? undefined : messageOf(cancellation.reason)));
        return this.#host.serve(request, withdrawn.signal);
      },
    });
  }
}

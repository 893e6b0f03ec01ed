import type { Cancellation } from '../../protocol/base/cancellation.js';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { errorResult } from '../error-result.js';
import { INVALID_PARAMS } from '../json-rpc/codes.js';
import { faultResponse, type JsonRpcFault } from '../json-rpc/fault.js';
import { isId, problemOf } from '../json-rpc/message.js';
import { JsonRpcPeer } from '../json-rpc/peer.js';
import type { ClientEnd, ServerEnd } from '../link/ends.js';
import { mcpToolName } from '../tool-names.js';
import {
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type McpAcknowledgement,
  type McpServerInstance,
  takesManyConnections,
} from '../types.js';
import { DeferredServer } from './deferred-server.js';

/** What a server finds at the agent's end: notifications go to the agent, requests to the host. */
export interface McpHost {
  readonly sessionId: string | undefined;
  /** The host's capabilities beyond those of the agent, such as `elicitation`. */
  readonly capabilities: Record<string, unknown>;
  notify(message: JsonRpcNotification): void;
  /** Returns the result of a server's request, or throws a `JsonRpcFault` to refuse it. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** A running call reports how far it is. */
  progressed(call: RunningCall, report: Record<string, unknown>): void;
  /** Something that the developer should mend. */
  warn(message: string): void;
  debug(message: string): void;
}

/** A call that the agent has asked reports of. */
export interface RunningCall {
  readonly tool: string;
  /** The agent's own id of the call, if it gave one. */
  readonly toolUseId: string | undefined;
  /** On the monotonic clock. */
  readonly startedAt: number;
}

export interface McpAnswer {
  mcp_response: JsonRpcResponse | McpAcknowledgement;
}

/** Without an object here the CLI considers the server dead. No id, because it could match an open request. */
const RECEIVED: McpAnswer = { mcp_response: { jsonrpc: '2.0', result: {} } };

/**
 * Connects a conversation to a server object. Ours take any number of connections; those of the MCP library share their
 * only one, with code that is loaded when needed.
 */
export function connectServer(name: string, instance: McpServerInstance, host: McpHost): AgentConnection {
  if (takesManyConnections(instance)) {
    return new AgentConnection(name, (client) => instance.open(client, 'claude-code'), host);
  }
  const loading = import('./shared-client.js');
  return new AgentConnection(
    name,
    (client) =>
      new DeferredServer(loading.then(({ SharedClient }) => new SharedClient(name, instance, client))),
    host,
  );
}

/** One conversation's connection to one MCP server object. Every request of the agent is answered exactly once. */
export class AgentConnection implements ClientEnd {
  readonly #name: string;
  readonly #host: McpHost;
  readonly #server: ServerEnd;
  readonly #relisting = new Relisting();
  /** Serves the server's own requests, which most servers never make. */
  #questions: JsonRpcPeer | undefined;
  /** By their progress tokens. */
  #calls: Map<unknown, RunningCall> | undefined;
  /** The listed tools, by the names that the model knows them by. */
  #listed: Map<string, string> | undefined;
  #isClosed = false;

  constructor(name: string, open: (client: ClientEnd) => ServerEnd, host: McpHost) {
    this.#name = name;
    this.#host = host;
    this.#server = open(this);
  }

  /** Takes one message of the agent; resolves with the payload of the answer. */
  receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    const problem = problemOf(message);
    if (problem !== undefined) return this.#refuse(message, problem);
    if ('method' in message && 'id' in message) {
      const over = this.#begun(message);
      return this.#server
        .answer(this.#withCapabilities(message), cancellation)
        .finally(over)
        .then((response) => this.#answerTo(message, response, cancellation));
    }
    if (!('method' in message)) {
      // The server's requests are the host's to answer: an agent must not answer in its user's name.
      this.#host.debug(
        `MCP server "${this.#name}": an answer to a request that the agent never got: ignored`,
      );
      return Promise.resolve(RECEIVED);
    }
    try {
      this.#server.receive(message);
    } catch (error) {
      this.#host.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
    return Promise.resolve(RECEIVED);
  }

  async #refuse(message: object, problem: JsonRpcFault): Promise<McpAnswer> {
    const { id } = message as { id?: unknown };
    if (isId(id)) return { mcp_response: faultResponse(id, problem) };
    throw problem;
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
    if (request.method === 'tools/list') {
      this.#relisting.answered(response);
      this.#checkNames(request, response);
    }
    if (request.method !== 'tools/call' || isCancelled || this.#relisting.done === undefined) return answer;
    return this.#relisting.done.then(() => answer);
  }

  /** Remembers a call until it is over, if its reports are wanted. */
  #begun({ method, params }: JsonRpcRequest): (() => void) | undefined {
    const meta = params?._meta;
    if (method !== 'tools/call' || !isRecord(meta) || meta.progressToken === undefined) return undefined;
    const { progressToken, 'claudecode/toolUseId': id } = meta;
    const toolUseId = typeof id === 'string' ? id : undefined;
    this.#calls ??= new Map();
    this.#calls.set(progressToken, { tool: params?.name as string, toolUseId, startedAt: clock.monotonic() });
    return () => void this.#calls?.delete(progressToken);
  }

  /** Of two tools that the model knows by one name, agents offer only one, and do not say so. */
  #checkNames({ params }: JsonRpcRequest, response: JsonRpcResponse): void {
    const tools: unknown = 'result' in response ? response.result?.tools : undefined;
    if (!Array.isArray(tools)) return;
    if (params?.cursor === undefined || this.#listed === undefined) this.#listed = new Map();
    for (const tool of tools) {
      if (typeof tool?.name !== 'string') continue;
      const name = mcpToolName(this.#name, tool.name);
      const other = this.#listed.get(name) ?? tool.name;
      if (other !== tool.name) this.#host.warn(sameName(this.#name, name, [other, tool.name]));
      this.#listed.set(name, other);
    }
  }

  /** The agent announces no capabilities to in-process servers; the host's are added. */
  #withCapabilities(request: JsonRpcRequest): JsonRpcRequest {
    if (request.method !== 'initialize') return request;
    const { params } = request;
    const own = isRecord(params?.capabilities) ? params.capabilities : {};
    const capabilities = { ...own, ...this.#host.capabilities };
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
      const call =
        message.method === 'notifications/progress' && this.#calls?.get(message.params?.progressToken);
      if (call) this.#host.progressed(call, message.params ?? {});
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

/**
 * The answer of a tool that changes its server's tools waits until the agent has read the new list: any earlier, and the
 * agent would ask its model with the old one.
 */
class Relisting {
  #done: Promise<void> | undefined;
  #finish: () => void = () => {};

  /** Resolves when the agent has the list; undefined if nothing has changed. */
  get done(): Promise<void> | undefined {
    return this.#done;
  }

  /** The agent is being told that the list changed. */
  begin(): void {
    if (this.#done !== undefined) return;
    this.#done = new Promise((resolve) => {
      // Old CLIs never ask.
      const timer = clock.setTimeout(() => this.#finish(), LIMITS.relistMs);
      this.#finish = () => {
        clock.clearTimeout(timer);
        this.#done = undefined;
        resolve();
      };
    });
  }

  /** The agent is given this page; with the last one, once written, it has the whole list. */
  answered(response: JsonRpcResponse): void {
    if ('result' in response && response.result.nextCursor !== undefined) return;
    clock.setImmediate(() => this.#finish());
  }

  end(): void {
    this.#finish();
  }
}

/**
 * The majors of the MCP library differ: an unknown tool is a failed result in 1.x and a
 * JSON-RPC error in 2.x; the model should see the same in both cases: a result that it can act on.
 */
function normalizeUnknownTool(request: JsonRpcRequest, response: JsonRpcResponse): JsonRpcResponse {
  if (request.method !== 'tools/call' || !('error' in response) || response.error.code !== INVALID_PARAMS) {
    return response;
  }
  return { jsonrpc: '2.0', id: request.id, result: errorResult(response.error.message) };
}

function sameName(server: string, name: string, [one, other]: [string, string]): string {
  return (
    `MCP server "${server}": the tools "${one}" and "${other}" are both "${name}" for the model, ` +
    'which can call only one of them. Rename one.'
  );
}

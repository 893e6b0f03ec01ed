import { AbortError, messageOf } from '../protocol/errors.js';
import type { JsonRpcId, JsonRpcMessage, JsonRpcRequest, McpTransport } from '../protocol/mcp.js';
import { callTool, unknownToolResult } from './call-tool.js';
import { negotiateProtocolVersion } from './mcp-versions.js';
import type { SdkMcpServer } from './sdk-mcp-server.js';
import type { LogLevel, ToolContext } from './tool-context.js';

/** JSON-RPC's own faults: the caller asked in a way that no tool ever sees. */
class JsonRpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const TOOLS_PER_PAGE = 1000;

type Params = Record<string, unknown>;

/** One connection of an in-process server: JSON-RPC in, JSON-RPC out, requests served independently of each other. */
export class McpSession {
  readonly #server: SdkMcpServer;
  readonly #transport: McpTransport;
  readonly #running = new Map<JsonRpcId, AbortController>();
  readonly #asked = new Map<JsonRpcId, (response: JsonRpcMessage | Error) => void>();
  readonly #onEnd: () => void;
  #nextRequestId = 1;
  #ended = false;

  constructor(server: SdkMcpServer, transport: McpTransport, onEnd: () => void) {
    this.#server = server;
    this.#transport = transport;
    this.#onEnd = onEnd;
    transport.onmessage = (message) => this.#receive(message);
    transport.onclose = () => this.#end();
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const reason = new AbortError('The conversation has ended.');
    for (const controller of this.#running.values()) controller.abort(reason);
    for (const settle of this.#asked.values()) settle(reason);
    this.#running.clear();
    this.#asked.clear();
    this.#onEnd();
  }

  #receive(message: JsonRpcMessage): void {
    if ('method' in message) {
      if ('id' in message) void this.#serve(message);
      else if (message.method === 'notifications/cancelled') this.#cancel(message.params);
    } else if (message.id !== undefined) {
      this.#asked.get(message.id)?.(message);
    }
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    this.#running.set(id, controller);
    let answer: JsonRpcMessage;
    try {
      const result = await this.#dispatch(request, controller.signal);
      answer = { jsonrpc: '2.0', id, result: result as Params };
    } catch (error) {
      const code = error instanceof JsonRpcFault ? error.code : INTERNAL_ERROR;
      answer = { jsonrpc: '2.0', id, error: { code, message: messageOf(error) } };
    }
    if (this.#running.get(id) === controller) this.#running.delete(id);
    // MCP: a cancelled request gets no answer.
    if (!controller.signal.aborted) await this.#transport.send(answer);
  }

  #dispatch(request: JsonRpcRequest, signal: AbortSignal): unknown {
    const params = request.params ?? {};
    switch (request.method) {
      case 'initialize':
        return this.#server.initializeResult(negotiateProtocolVersion(params.protocolVersion));
      case 'ping':
      case 'logging/setLevel':
        return {};
      case 'tools/list':
        return this.#listTools(params.cursor);
      case 'tools/call':
        return this.#callTool(params, request.id, signal);
      default:
        throw new JsonRpcFault(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
    }
  }

  async #listTools(cursor: unknown): Promise<unknown> {
    const start = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isInteger(start) || start < 0) {
      throw new JsonRpcFault(INVALID_PARAMS, `Invalid cursor: ${JSON.stringify(cursor)}`);
    }
    const all = await this.#server.listTools();
    const end = start + TOOLS_PER_PAGE;
    const tools = all.slice(start, end);
    return end < all.length ? { tools, nextCursor: String(end) } : { tools };
  }

  #callTool(params: Params, id: JsonRpcId, signal: AbortSignal): unknown {
    const { name } = params;
    const args = params.arguments ?? {};
    if (typeof name !== 'string') throw new JsonRpcFault(INVALID_PARAMS, 'tools/call needs a `name`.');
    if (typeof args !== 'object' || Array.isArray(args)) {
      throw new JsonRpcFault(INVALID_PARAMS, 'The `arguments` of tools/call must be an object.');
    }
    const tool = this.#server.tool(name);
    if (tool === undefined) return unknownToolResult(name, this.#server.toolNames);
    return callTool(tool, args, this.#contextOf(params, id, signal));
  }

  #contextOf(params: Params, requestId: JsonRpcId, signal: AbortSignal): ToolContext {
    const meta = (params._meta ?? {}) as Params;
    const progressToken = meta.progressToken;
    const toolUseId = meta['claudecode/toolUseId'];
    const notify = (method: string, notification: Params): void => {
      if (!signal.aborted) void this.#notify(method, notification);
    };
    return {
      signal,
      requestId,
      serverName: this.#server.name,
      sessionId: this.#transport.sessionId,
      toolUseId: typeof toolUseId === 'string' ? toolUseId : undefined,
      meta,
      _meta: meta,
      reportProgress: (progress, total, message) => {
        // MCP: no token, nobody listens.
        if (progressToken === undefined) return;
        notify('notifications/progress', { progressToken, progress, total, message });
      },
      log: (level: LogLevel, data, logger = this.#server.name) =>
        notify('notifications/message', { level, logger, data }),
      sendNotification: ({ method, params: fields = {} }) => this.#notify(method, fields),
      sendRequest: ({ method, params: fields = {} }) => this.#ask(method, fields, signal),
    };
  }

  #notify(method: string, params: Params): Promise<void> {
    return this.#transport.send({ jsonrpc: '2.0', method, params });
  }

  #ask(method: string, params: Params, signal: AbortSignal): Promise<Params> {
    const id = `tenon_${this.#nextRequestId++}`;
    return new Promise((resolve, reject) => {
      const settle = (response: JsonRpcMessage | Error): void => {
        if (!this.#asked.delete(id)) return;
        signal.removeEventListener('abort', giveUp);
        if (response instanceof Error) reject(response);
        else if ('error' in response) reject(new JsonRpcFault(response.error.code, response.error.message));
        else resolve('result' in response ? response.result : {});
      };
      const giveUp = (): void => settle(new AbortError('The call was cancelled.'));
      this.#asked.set(id, settle);
      signal.addEventListener('abort', giveUp);
      this.#transport.send({ jsonrpc: '2.0', id, method, params }).catch((error: Error) => settle(error));
    });
  }

  #cancel(params: Params | undefined): void {
    const id = params?.requestId;
    const reason = typeof params?.reason === 'string' ? params.reason : 'The call was cancelled.';
    if (typeof id === 'string' || typeof id === 'number')
      this.#running.get(id)?.abort(new AbortError(reason));
  }
}

import { UpstreamFailure } from '../../authoring/proxy/upstream-failure.js';
import { AbortError, messageOf } from '../../protocol/errors.js';
import type {
  CallToolResult,
  InitializeResult,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../../protocol/mcp.js';
import { isKnownProtocolVersion, LATEST_PROTOCOL_VERSION } from '../../protocol/mcp-versions.js';

/** How JSON-RPC reaches a server, whatever is between: a control channel, a child process, HTTP. */
export interface McpLink {
  /** Resolves when the message is on its way; rejects when there is no server to send it to. */
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
}

export interface McpClientEvents {
  notification(method: string, params: Record<string, unknown>): void;
  /** What a server asks of its client; throw to refuse. The signal is aborted when the server does not wait any more. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<Record<string, unknown>>;
}

export interface McpRequestOptions {
  signal?: AbortSignal | undefined;
  /** 0: no limit. */
  timeoutMs?: number | undefined;
  onProgress?: ((progress: Record<string, unknown>) => void) | undefined;
}

/** An error of the protocol: a server's own, as against a broken connection; or ours, for a request of the server. */
export class McpError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class McpTimeoutError extends Error {}

export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** The client end of MCP over a link: requests with their answers, cancellation, time limits, notifications. */
export class McpClient {
  readonly #events: McpClientEvents;
  readonly #pending = new Map<JsonRpcId, (response: JsonRpcResponse | Error) => void>();
  readonly #progress = new Map<JsonRpcId, (progress: Record<string, unknown>) => void>();
  /** Requests of the server that are not answered yet. */
  readonly #serving = new Map<JsonRpcId, AbortController>();
  #link: McpLink | undefined;
  #ended: Error | undefined;
  #nextId: number;

  /** Ids begin where a handshake that was given in advance would have left off. */
  constructor(events: McpClientEvents, firstId = 0) {
    this.#events = events;
    this.#nextId = firstId;
  }

  attach(link: McpLink): void {
    this.#link = link;
  }

  async initialize(
    clientInfo: object,
    capabilities: object,
    options: McpRequestOptions,
  ): Promise<InitializeResult> {
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities, clientInfo };
    const result = (await this.request('initialize', params, options)) as InitializeResult;
    if (!isKnownProtocolVersion(result.protocolVersion)) {
      throw new Error(`It speaks an unknown version of MCP: ${JSON.stringify(result.protocolVersion)}.`);
    }
    await this.notify('notifications/initialized');
    return result;
  }

  /** All pages of a list, together in the time limit; `key` names what is listed. */
  async list<Listed>(method: string, key: string, options: McpRequestOptions): Promise<Listed[]> {
    const listed: Listed[] = [];
    const seen = new Set<unknown>();
    const { timeoutMs = 0 } = options;
    const deadline = performance.now() + timeoutMs;
    let cursor: unknown;
    do {
      seen.add(cursor);
      const left = timeoutMs > 0 ? deadline - performance.now() : 0;
      if (timeoutMs > 0 && left <= 0) throw timedOut(timeoutMs);
      const params = cursor === undefined ? undefined : { cursor };
      const page = await this.request(method, params, { ...options, timeoutMs: left });
      listed.push(...((page[key] as Listed[] | undefined) ?? []));
      cursor = page.nextCursor;
      if (cursor !== undefined && seen.has(cursor)) throw new Error(`${method} goes in circles.`);
    } while (cursor !== undefined);
    return listed;
  }

  callTool(
    name: string,
    args: unknown,
    toolUseId: string,
    options: McpRequestOptions,
  ): Promise<CallToolResult> {
    const id = this.#nextId;
    const _meta = { 'claudecode/toolUseId': toolUseId, progressToken: id };
    return this.request('tools/call', { name, arguments: args, _meta }, options) as Promise<CallToolResult>;
  }

  request(
    method: string,
    params: Record<string, unknown> | undefined,
    { signal, timeoutMs = 0, onProgress }: McpRequestOptions = {},
  ): Promise<Record<string, unknown>> {
    const id = this.#nextId++;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const cancel = (error: Error, reason: string): void => {
        void this.notify('notifications/cancelled', { requestId: id, reason }).catch(() => {});
        settle(error);
      };
      const onAbort = (): void =>
        cancel(new AbortError('The call was cancelled.'), 'AbortError: remote-cancel');
      const settle = (response: JsonRpcResponse | Error): void => {
        if (!this.#pending.delete(id)) return;
        this.#progress.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        if (response instanceof Error) reject(response);
        else if ('error' in response) reject(errorOf(response.error));
        else resolve(response.result);
      };
      this.#pending.set(id, settle);
      if (signal?.aborted) return settle(new AbortError('The call was cancelled.'));
      signal?.addEventListener('abort', onAbort);
      if (timeoutMs > 0) {
        timer = setTimeout(() => cancel(timedOut(timeoutMs), 'SdkError: Request timed out'), timeoutMs);
      }
      const message = { jsonrpc: '2.0' as const, id, method, ...(params === undefined ? {} : { params }) };
      this.#send(message).catch((error) =>
        settle(error instanceof Error ? error : new Error(messageOf(error))),
      );
    });
  }

  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** A message from the server. */
  receive(message: JsonRpcMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#pending.get(message.id)?.(message);
    } else if ('id' in message) void this.#serve(message);
    else if (message.method === 'notifications/progress') {
      this.#progress.get(message.params?.progressToken as JsonRpcId)?.(message.params ?? {});
    } else if (message.method === 'notifications/cancelled') {
      this.#serving.get(message.params?.requestId as JsonRpcId)?.abort();
    } else this.#events.notification(message.method, message.params ?? {});
  }

  /** The connection is gone: whatever is open ends with the reason. */
  end(reason: Error): void {
    this.#ended ??= reason;
    for (const settle of [...this.#pending.values()]) settle(reason);
    for (const serving of this.#serving.values()) serving.abort();
  }

  /** Resolves when the other end is gone. */
  async close(reason: Error = new AbortError('The connection was closed.')): Promise<void> {
    this.end(reason);
    await this.#link?.close();
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const { id } = request;
    const serving = new AbortController();
    this.#serving.set(id, serving);
    let response: JsonRpcResponse;
    try {
      response = { jsonrpc: '2.0', id, result: await this.#events.serve(request, serving.signal) };
    } catch (error) {
      const code = error instanceof McpError ? error.code : INTERNAL_ERROR;
      response = { jsonrpc: '2.0', id, error: { code, message: messageOf(error) } };
    } finally {
      this.#serving.delete(id);
    }
    if (serving.signal.aborted) return;
    await this.#send(response).catch(() => {});
  }

  #send(message: JsonRpcMessage): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#link === undefined) return Promise.reject(new Error('The MCP server is not connected.'));
    return this.#link.send(message);
  }
}

function timedOut(milliseconds: number): McpTimeoutError {
  return new McpTimeoutError(`timed out after ${milliseconds / 1000}s`);
}

/** What the link says in the server's place comes with its own error. */
function errorOf({ code, message, data }: { code: number; message: string; data?: unknown }): Error {
  return data instanceof UpstreamFailure ? data : new McpError(code, message);
}

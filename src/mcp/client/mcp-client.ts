import { AbortError } from '../../protocol/base/errors.js';
import { listPages } from '../json-rpc/list-pages.js';
import { JsonRpcPeer, type JsonRpcRequestOptions, JsonRpcTimeout } from '../json-rpc/peer.js';
import type { CallToolResult, InitializeResult, JsonRpcMessage, JsonRpcRequest } from '../types.js';
import { isKnownProtocolVersion, LATEST_PROTOCOL_VERSION } from '../versions.js';

type Params = Record<string, unknown>;

/** How JSON-RPC reaches a server, whatever is in between: a control channel, a child process, HTTP. */
export interface McpLink {
  /** Resolves when the message is on its way; rejects when there is no server to send it to. */
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
}

export interface McpClientEvents {
  notification(method: string, params: Params): void;
  /** What a server asks of its client; throw to refuse. The signal is aborted when the server no longer waits. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<Params>;
}

/** `meta`: what the call's `_meta` says besides the id of the call. */
export type McpCallOptions = McpRequestOptions & { meta?: Params | undefined };

export type McpRequestOptions = Pick<JsonRpcRequestOptions, 'signal' | 'timeoutMs' | 'onProgress'>;

/** The client end of MCP over a link. */
export class McpClient {
  readonly #server: string;
  readonly #peer: JsonRpcPeer;
  #link: McpLink | undefined;

  /** `firstId` continues after a handshake that was given in advance. */
  constructor(server: string, events: McpClientEvents, firstId = 0) {
    this.#server = server;
    const port = {
      send: (message: JsonRpcMessage) => this.#send(message),
      serve: (request: JsonRpcRequest, cancellation: { signal: AbortSignal }) =>
        events.serve(request, cancellation.signal),
      notified: ({ method, params = {} }: { method: string; params?: Params | undefined }) =>
        events.notification(method, params),
      // The CLI's wording, which shows up in servers' logs.
      describe: (error: Error) =>
        error instanceof JsonRpcTimeout ? 'SdkError: Request timed out' : 'AbortError: remote-cancel',
    };
    this.#peer = new JsonRpcPeer(port, { firstId });
  }

  attach(link: McpLink): void {
    this.#link = link;
  }

  async initialize(
    clientInfo: object,
    capabilities: object,
    options: McpRequestOptions = {},
  ): Promise<InitializeResult> {
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities, clientInfo };
    const result = (await this.request('initialize', params, options)) as InitializeResult;
    if (!isKnownProtocolVersion(result.protocolVersion)) {
      throw new Error(`It speaks an unsupported version of MCP: ${JSON.stringify(result.protocolVersion)}.`);
    }
    await this.#peer.notify('notifications/initialized');
    return result;
  }

  /** All pages of a list, within one time limit. */
  list<Listed>(method: string, options: McpRequestOptions = {}): Promise<Listed[]> {
    return listPages<Listed>(this.#peer, this.#server, method, options);
  }

  callTool(name: string, args: unknown, toolUseId: string, options: McpCallOptions): Promise<CallToolResult> {
    const { onProgress = () => {}, meta } = options;
    const params = { name, arguments: args, _meta: { 'claudecode/toolUseId': toolUseId, ...meta } };
    return this.request('tools/call', params, { ...options, onProgress }) as Promise<CallToolResult>;
  }

  request(method: string, params: Params | undefined, options: McpRequestOptions = {}): Promise<Params> {
    return this.#peer.request(method, params, options);
  }

  /** Takes a message from the server. */
  receive(message: JsonRpcMessage): void {
    this.#peer.receive(message);
  }

  /** The connection is gone: everything open ends with the reason. */
  end(reason: Error): void {
    this.#peer.end(reason);
  }

  /** Resolves when the other end is gone. */
  async close(reason: Error = new AbortError('The connection was closed.')): Promise<void> {
    this.end(reason);
    await this.#link?.close();
  }

  #send(message: JsonRpcMessage): Promise<void> {
    return this.#link?.send(message) ?? Promise.reject(new Error('The MCP server is not connected.'));
  }
}

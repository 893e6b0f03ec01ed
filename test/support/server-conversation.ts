/** One conversation's end of an in-process server, without an agent: what the CLI would send goes in by hand. */

import type { Conversation } from '../../src/client/conversation/conversation.js';
import { InProcessServers } from '../../src/client/mcp/in-process-servers.js';
import { QueryHost } from '../../src/client/mcp/query-host.js';
import type {
  JsonRpcId,
  JsonRpcNotification,
  JsonRpcResponse,
  McpServerInstance,
  Options,
} from '../../src/index.js';
import { Cancellation } from '../../src/protocol/base/cancellation.js';

type Params = Record<string, unknown>;

export class ServerConversation {
  /** Notifications of the server to the agent. */
  readonly told: JsonRpcNotification[] = [];
  readonly #servers: InProcessServers;
  readonly #listeners = new Set<() => void>();
  #nextId = 0;

  constructor(instance: McpServerInstance, callbacks: Pick<Options, 'onElicitation' | 'onSampling'> = {}) {
    const conversation = {
      sessionId: undefined,
      control: async (_subtype: string, { message }: { message: JsonRpcNotification }) => {
        this.told.push(message);
        for (const listener of this.#listeners) listener();
        return {};
      },
    } as unknown as Conversation;
    this.#servers = new InProcessServers({ server: { type: 'sdk', name: 'server', instance } });
    this.#servers.open((name) => new QueryHost(name, conversation, callbacks, () => {}));
  }

  /** Shakes hands as the CLI does. */
  static async with(
    instance: McpServerInstance,
    callbacks: Pick<Options, 'onElicitation' | 'onSampling'> = {},
  ): Promise<ServerConversation> {
    const conversation = new ServerConversation(instance, callbacks);
    await conversation.initialize();
    return conversation;
  }

  async initialize(): Promise<Params> {
    const clientInfo = { name: 'claude-code', version: '2.1.325' };
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    });
    await this.notify('notifications/initialized');
    return result;
  }

  /** Answers of the server as they come; ids start at 0 in every conversation. */
  async exchange(
    method: string,
    params: Params = {},
    { signal, id = this.#nextId++ }: { signal?: AbortSignal; id?: JsonRpcId } = {},
  ): Promise<JsonRpcResponse> {
    const cancellation = new Cancellation();
    signal?.addEventListener('abort', () => cancellation.cancel(signal.reason));
    const answer = await this.#servers.receive(
      'server',
      { jsonrpc: '2.0', id, method, params },
      cancellation,
    );
    return (answer as { mcp_response: JsonRpcResponse }).mcp_response;
  }

  async request<Result = Params>(method: string, params: Params = {}): Promise<Result> {
    const response = await this.exchange(method, params);
    if ('error' in response) throw new Error(response.error.message);
    return response.result as Result;
  }

  /** The text of a tool's result. */
  async call(name: string, args: Params = {}, meta: Params = {}): Promise<string> {
    const result = await this.request<{ content: { text: string }[] }>('tools/call', {
      name,
      arguments: args,
      _meta: meta,
    });
    return result.content.map(({ text }) => text).join();
  }

  async notify(method: string, params?: Params): Promise<void> {
    const message = params === undefined ? { method } : { method, params };
    await this.#servers.receive('server', { jsonrpc: '2.0', ...message }, new Cancellation());
  }

  /** The first notification of the kind, whether it has come or will come. */
  async heard(method: string): Promise<JsonRpcNotification> {
    for (;;) {
      const found = this.told.find((message) => message.method === method);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  close(): void {
    this.#servers.close();
  }
}

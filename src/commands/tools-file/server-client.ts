import { randomUUID } from 'node:crypto';
import type {
  CallToolResult,
  InitializeResult,
  JsonRpcMessage,
  JsonRpcRequest,
  ListedTool,
  McpServerInstance,
} from '../../index.js';
import { McpClient, type McpRequestOptions } from '../../mcp/client/mcp-client.js';
import { connectServer } from '../../mcp/in-process/agent-connection.js';
import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { Cancellation } from '../../protocol/base/cancellation.js';
import { packageVersion } from '../own-package.js';

export interface ServerClientEvents {
  /** What a server logs. */
  log(entry: Record<string, unknown>): void;
}

/**
 * A client of one server object, connected as a conversation is: checks, limits and middleware of the server count as
 * they do for an agent.
 */
export class ServerClient {
  readonly handshake: Promise<InitializeResult>;
  readonly #client: McpClient;

  constructor(name: string, instance: McpServerInstance, { log }: ServerClientEvents = { log: () => {} }) {
    const client = new McpClient(name, {
      notification: (method, params) => {
        if (method === 'notifications/message') log(params);
        // A call that changes the tools is answered when the new list has been read.
        if (method === 'notifications/tools/list_changed') this.tools().catch(() => {});
      },
      serve,
    });
    this.#client = client;
    const connection = connectServer(name, instance, {
      sessionId: undefined,
      capabilities: {},
      notify: (message) => client.receive(message),
      serve,
      progressed: () => {},
      warn: () => {},
      debug: () => {},
    });
    const answer = async (message: JsonRpcMessage): Promise<void> => {
      const { mcp_response: response } = await connection.receive(message, new Cancellation());
      if ('id' in response) client.receive(response);
    };
    client.attach({
      send: async (message) => {
        // Sent is not answered: the client has its own clock for that.
        answer(message).catch((error) => client.end(error));
      },
      close: async () => connection.close(),
    });
    this.handshake = client.initialize({ name: 'tenon', version: packageVersion() }, {});
    // Whoever uses the client is told.
    this.handshake.catch(() => {});
  }

  async tools(): Promise<ListedTool[]> {
    await this.handshake;
    return this.#client.list<ListedTool>('tools/list');
  }

  async call(name: string, input: object, options: McpRequestOptions = {}): Promise<CallToolResult> {
    await this.handshake;
    return this.#client.callTool(name, input, `toolu_${randomUUID()}`, options);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** There is no agent behind this client, and a person is not asked in the middle of a script. */
async function serve({ method }: JsonRpcRequest): Promise<Record<string, unknown>> {
  if (method === 'ping') return {};
  throw new JsonRpcFault(METHOD_NOT_FOUND, `Method not found: ${method}. It needs an agent: tenon run.`);
}

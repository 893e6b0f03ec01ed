/** The same MCP server reached in different ways by the same MCP client, with everything that the client was told. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcResponse,
  McpServerInstance,
  McpTransport,
} from '../../../src/index.js';
import { connectServer } from '../../../src/mcp/in-process/agent-connection.js';
import { JsonRpcFault } from '../../../src/mcp/json-rpc/fault.js';
import { Cancellation } from '../../../src/protocol/base/cancellation.js';

type Params = Record<string, unknown>;

/** What a server sent without being asked. */
export interface Told {
  method: string;
  params: unknown;
}

export interface Side extends AsyncDisposable {
  readonly client: Client;
  readonly told: Told[];
  /** The result or the error. Progress is asked for, and told. */
  request(method: string, params?: Params, options?: { signal?: AbortSignal }): Promise<object>;
}

const anything = z.looseObject({});

/** How the client answers what servers ask. */
const ANSWERS: Record<string, object> = {
  'roots/list': { roots: [{ uri: 'file:///srv/data', name: 'Data' }] },
  'elicitation/create': { action: 'accept', content: { name: 'Ada', interpretation: 'snake' } },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'Sampled.' },
    model: 'scripted',
    stopReason: 'endTurn',
  },
};

export async function connectSide(transport: Transport): Promise<Side> {
  const client = new Client(
    { name: 'differential', version: '1.0.0' },
    {
      capabilities: {
        roots: { listChanged: true },
        sampling: {},
        elicitation: { form: {}, url: {} },
        tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
      },
    },
  );
  const told: Told[] = [];
  let count = 0;
  client.setNotificationHandler(
    ProgressNotificationSchema,
    ({ method, params }) => void told.push({ method, params }),
  );
  client.fallbackNotificationHandler = async ({ method, params }) => void told.push({ method, params });
  client.fallbackRequestHandler = async ({ method, params }) => {
    told.push({ method, params });
    return ANSWERS[method] ?? {};
  };
  await client.connect(transport);
  return {
    client,
    told,
    request: async (method, params = {}, options = {}) => {
      // The library's own tokens would do, but it loses a report that comes together with the answer.
      const _meta = { progressToken: `report of request ${++count}` };
      try {
        return { result: await client.request({ method, params: { ...params, _meta } }, anything, options) };
      } catch (error) {
        const { code, message, data } = error as { code?: number; message: string; data?: unknown };
        return { error: { code, message, data } };
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A client in this process, connected to our value as any MCP client would be. */
export async function inMemory(instance: McpServerInstance): Promise<Transport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await instance.connect(ours as McpTransport);
  return theirs;
}

/** The client in the agent's place: its messages take the way of those that the CLI sends. */
export function throughBridge(name: string, instance: McpServerInstance): Transport {
  const asked = new Map<JsonRpcId, (response: JsonRpcResponse) => void>();
  const deliver = (message: JsonRpcMessage): void => transport.onmessage?.(message as never);
  const connection = connectServer(name, instance, {
    sessionId: undefined,
    capabilities: {},
    progressed: () => {},
    warn: () => {},
    debug: () => {},
    notify: (message: JsonRpcNotification) => deliver(message),
    serve: async (request) => {
      const response = await new Promise<JsonRpcResponse>((resolve) => {
        asked.set(request.id, resolve);
        deliver(request);
      });
      if (!('error' in response)) return response.result;
      const { code, message, data } = response.error;
      throw new JsonRpcFault(code, message, data);
    },
  });
  const transport: Transport = {
    start: async () => {},
    send: async (given) => {
      const message = given as JsonRpcMessage;
      if (!('method' in message) && message.id !== undefined) {
        asked.get(message.id)?.(message);
        return;
      }
      const { mcp_response } = (await connection.receive(message, new Cancellation())) as {
        mcp_response: JsonRpcMessage;
      };
      if ('id' in message) deliver(mcp_response);
    },
    close: async () => {
      connection.close();
      transport.onclose?.();
    },
  };
  return transport;
}

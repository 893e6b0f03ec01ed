import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf, TenonError } from '../../protocol/errors.js';
import type { JsonRpcId, JsonRpcMessage, McpServerInstance, McpTransport } from '../../protocol/mcp.js';
import { Multiplexer, type ServerLink, type ServerLinkEvents } from '../../protocol/mcp-link/multiplexer.js';

/**
 * Server objects of the MCP libraries hold one connection each. All conversations that use the same object share
 * that one; the last to leave frees the object for whatever its owner wants to do with it.
 */
const multiplexers = new WeakMap<McpServerInstance, Multiplexer>();

export function sharedInstance(name: string, instance: McpServerInstance): Multiplexer {
  const known = multiplexers.get(instance);
  if (known !== undefined) return known;
  const multiplexer = new Multiplexer((events) => link(name, instance, events));
  multiplexers.set(instance, multiplexer);
  return multiplexer;
}

/**
 * The call in whose course a server speaks. The libraries say it of some messages only: not of `server.elicitInput()`,
 * which most handlers use.
 */
const currentCall = new AsyncLocalStorage<JsonRpcId>();

async function link(
  name: string,
  instance: McpServerInstance,
  events: ServerLinkEvents,
): Promise<ServerLink> {
  let isOpen = true;
  const unanswered = new Set<JsonRpcId>();
  /** What a call left running when it was answered speaks for itself. */
  const callOf = (message: JsonRpcMessage): JsonRpcId | undefined => {
    const id = currentCall.getStore();
    return 'method' in message && id !== undefined && unanswered.has(id) ? id : undefined;
  };
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    transport.onclose?.();
  };
  const transport: McpTransport = {
    start: async () => {},
    send: async (message, options) => {
      if (!isOpen) return;
      events.message(message, options?.relatedRequestId ?? callOf(message));
      if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id);
    },
    // Called by the object itself, when its owner closes it.
    close: async () => {
      end();
      events.closed();
    },
  };
  try {
    await instance.connect(transport);
  } catch (error) {
    if (!/already connected/i.test(messageOf(error))) throw error;
    throw new TenonError(
      'SERVER_IN_USE',
      `The MCP server object of "${name}" is already connected elsewhere by its owner, and it can hold only one ` +
        'connection. Give this query an object of its own, or define the tools with createSdkMcpServer().',
      { cause: error },
    );
  }
  const send = (message: JsonRpcMessage): void => {
    if (!('method' in message && 'id' in message)) {
      transport.onmessage?.(message);
      return;
    }
    unanswered.add(message.id);
    currentCall.run(message.id, () => transport.onmessage?.(message));
  };
  return { send, close: end };
}

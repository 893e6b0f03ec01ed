import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { hostModule } from '../../protocol/base/host-process.js';
import { Multiplexer, type ServerLink, type ServerLinkEvents } from '../link/multiplexer.js';
import type { JsonRpcId, JsonRpcMessage, McpServerInstance, McpTransport } from '../types.js';

/**
 * Server objects of the MCP libraries hold one connection each. All conversations with the same object share it; the
 * last one to leave frees the object for its owner.
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
 * The call during which a server sends a message. The libraries report it for some messages only, not for
 * `server.elicitInput()`, which most handlers use. Without Node nobody can tell.
 */
const storage = hostModule('node:async_hooks')?.AsyncLocalStorage;
const currentCall = storage === undefined ? undefined : new storage<JsonRpcId>();

async function link(
  name: string,
  instance: McpServerInstance,
  events: ServerLinkEvents,
): Promise<ServerLink> {
  let isOpen = true;
  const unanswered = new Set<JsonRpcId>();
  /** Work that outlives its call no longer speaks for that call. */
  const callOf = (message: JsonRpcMessage): JsonRpcId | undefined => {
    const id = currentCall?.getStore();
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
    // The object itself calls this when its owner closes it.
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
    const deliver = (): void => void transport.onmessage?.(message);
    if (currentCall === undefined) deliver();
    else currentCall.run(message.id, deliver);
  };
  return { send, close: end };
}

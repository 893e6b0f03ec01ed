import { Cancellation } from '../../protocol/base/cancellation.js';
import type { JsonRpcMessage, JsonRpcRequest, McpTransport } from '../types.js';
import type { ClientEnd, ServerEnd } from './ends.js';

/** Serves one MCP client over a transport until it closes. */
export async function connectTransport(
  open: (client: ClientEnd) => ServerEnd,
  transport: McpTransport,
): Promise<void> {
  const server = open({
    get sessionId() {
      return transport.sessionId;
    },
    // Tells a transport with several streams (HTTP) which of them to use.
    send: async (message, relatedRequestId) => transport.send(message, { relatedRequestId }),
    serverClosed: () => transport.close(),
  });
  transport.onmessage = (message) => receive(server, transport, message);
  transport.onclose = () => server.end();
  await transport.start();
}

function receive(server: ServerEnd, transport: McpTransport, message: JsonRpcMessage): void {
  if ('method' in message && 'id' in message) void answer(server, transport, message);
  else server.receive(message);
}

async function answer(server: ServerEnd, transport: McpTransport, request: JsonRpcRequest): Promise<void> {
  const cancellation = new Cancellation();
  const response = await server.answer(request, cancellation);
  // MCP: a cancelled request gets no answer.
  if (cancellation.isCancelled) return;
  await transport.send(response, { relatedRequestId: request.id }).catch(() => {});
}

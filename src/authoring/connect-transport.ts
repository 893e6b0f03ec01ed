import { Cancellation } from '../protocol/cancellation.js';
import type { JsonRpcMessage, JsonRpcRequest, McpTransport } from '../protocol/mcp.js';
import type { McpServerSession, McpSessionClient } from '../protocol/mcp-link/session.js';

/** Serves one MCP client by messages, until its transport closes. */
export async function connectTransport(
  open: (client: McpSessionClient) => McpServerSession,
  transport: McpTransport,
): Promise<void> {
  const session = open({
    get sessionId() {
      return transport.sessionId;
    },
    // Tells a transport with several streams (HTTP) on which of them this belongs.
    send: async (message, relatedRequestId) => transport.send(message, { relatedRequestId }),
    serverClosed: () => transport.close(),
  });
  transport.onmessage = (message) => receive(session, transport, message);
  transport.onclose = () => session.end();
  await transport.start();
}

function receive(session: McpServerSession, transport: McpTransport, message: JsonRpcMessage): void {
  if ('method' in message && 'id' in message) void answer(session, transport, message);
  else session.receive(message);
}

async function answer(
  session: McpServerSession,
  transport: McpTransport,
  request: JsonRpcRequest,
): Promise<void> {
  const cancellation = new Cancellation();
  const response = await session.request(request, cancellation);
  // MCP: a cancelled request gets no answer.
  if (cancellation.isCancelled) return;
  await transport.send(response, { relatedRequestId: request.id }).catch(() => {});
}

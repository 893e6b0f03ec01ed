import type { Cancellation } from '../cancellation.js';
import type { JsonRpcId, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../mcp.js';

/** A server's side of one connection, with no wire in between: requests are calls. */
export interface McpServerSession {
  /** Never rejects. Once it is cancelled, the answer may be late, and nobody needs it. */
  request(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse>;
  /** What is not answered: a notification, or the answer to a question of the server's. */
  receive(message: JsonRpcNotification | JsonRpcResponse): void;
  /** The client has gone. */
  end(): void;
}

/** The client's side of it. */
export interface McpSessionClient {
  readonly sessionId: string | undefined;
  /** `relatedRequestId` is the request in whose course the server speaks. */
  send(message: JsonRpcRequest | JsonRpcNotification, relatedRequestId: JsonRpcId | undefined): Promise<void>;
  /** The owner of the server closes it: what is open then ends. */
  serverClosed(): Promise<void>;
}

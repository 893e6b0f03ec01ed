import type { Cancellation } from '../../protocol/base/cancellation.js';
import type { JsonRpcId, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../types.js';

/** The server's end of a connection, with no wire in between: requests are calls. */
export interface ServerEnd {
  /** Rejects only if there is no server to ask. A cancelled request is answered at once. */
  answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse>;
  /** Takes a message that needs no answer: a notification, or the answer to a request of the server. */
  receive(message: JsonRpcNotification | JsonRpcResponse): void;
  /** The client is gone. */
  end(): void;
}

/** The client's end of it. */
export interface ClientEnd {
  readonly sessionId: string | undefined;
  /** `relatedRequestId` is the request that the message belongs to. */
  send(message: JsonRpcRequest | JsonRpcNotification, relatedRequestId: JsonRpcId | undefined): Promise<void>;
  /** The owner closes the server; the connection ends as soon as this resolves. */
  serverClosed(): Promise<void>;
}

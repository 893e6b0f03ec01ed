/** Both ends of a `Multiplexer` by hand: clients that keep what they hear, and a server that says what the test wants. */
import type { JsonRpcId, JsonRpcMessage, JsonRpcRequest } from '../../src/index.js';
import { Multiplexer, type ServerLinkEvents, type SharingClient } from '../../src/mcp/link/multiplexer.js';

export class HandClient implements SharingClient {
  readonly heard: { message: JsonRpcMessage; relatedRequestId: JsonRpcId | undefined }[] = [];
  readonly endings: (Error | undefined)[] = [];

  message(message: JsonRpcMessage, relatedRequestId?: JsonRpcId): void {
    this.heard.push({ message, relatedRequestId });
  }

  closed(error?: Error): void {
    this.endings.push(error);
  }

  /** What came since the last time. */
  take(): JsonRpcMessage[] {
    return this.heard.splice(0).map(({ message }) => message);
  }
}

export class HandServer {
  readonly multiplexer: Multiplexer;
  /** What has reached the server. */
  readonly received: JsonRpcMessage[] = [];
  readonly connections: ServerLinkEvents[] = [];
  closes = 0;

  constructor(hooks: { beforeOpen?: () => Promise<void>; onClose?: () => Promise<void> } = {}) {
    this.multiplexer = new Multiplexer(async (events) => {
      await hooks.beforeOpen?.();
      this.connections.push(events);
      return {
        send: (message) => void this.received.push(message),
        close: () => {
          this.closes += 1;
          return hooks.onClose?.();
        },
      };
    });
  }

  async client(): Promise<HandClient> {
    const client = new HandClient();
    await this.multiplexer.attach(client);
    return client;
  }

  say(message: JsonRpcMessage, relatedRequestId?: JsonRpcId): void {
    this.connections.at(-1)?.message(message, relatedRequestId);
  }

  async send(client: HandClient, message: JsonRpcMessage): Promise<void> {
    this.multiplexer.receive(client, message);
    await settled();
  }

  /** Sends a request and returns it as the server got it. */
  async request(client: HandClient, id: JsonRpcId, method: string, params?: object): Promise<JsonRpcRequest> {
    await this.send(client, { jsonrpc: '2.0', id, method, ...(params ? { params: { ...params } } : {}) });
    return this.received.at(-1) as JsonRpcRequest;
  }

  take(): JsonRpcMessage[] {
    return this.received.splice(0);
  }
}

/** The multiplexer does everything in microtasks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

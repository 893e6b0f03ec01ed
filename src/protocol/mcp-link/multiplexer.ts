import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../mcp.js';
import { IdMap } from './id-map.js';

/** The one real connection to a server that can hold only one. */
export interface ServerLink {
  send(message: JsonRpcMessage): void;
  /** Gives the connection up; the server itself stays. */
  close(): void;
}

export interface ServerLinkEvents {
  /** `relatedRequestId` is what the MCP libraries say of a message that belongs to a call. */
  message(message: JsonRpcMessage, relatedRequestId?: JsonRpcId): void;
  closed(error?: Error): void;
}

/** One of the clients that share the server. */
export interface SharingClient {
  message(message: JsonRpcMessage): void;
  closed(error?: Error): void;
}

const INTERNAL_ERROR = -32603;

/**
 * Lets any number of clients share one connection to one MCP server. Ids and progress tokens are rewritten so that
 * they cannot meet; the handshake is made once and remembered; notifications go to whom they concern, or to all.
 */
export class Multiplexer {
  readonly #open: (events: ServerLinkEvents) => Promise<ServerLink>;
  readonly #clients = new Set<SharingClient>();
  /** Requests of clients to the server, and of the server to clients. */
  readonly #toServer = new IdMap<{ client: SharingClient; method: string }>();
  readonly #toClient = new IdMap<{ client: SharingClient }>();
  readonly #progress = new Map<JsonRpcId, { client: SharingClient; token: unknown }>();
  readonly #subscribers = new Map<string, Set<SharingClient>>();
  #link: Promise<ServerLink> | undefined;
  #handshake: Promise<JsonRpcResponse> | undefined;
  #finishHandshake: (response: JsonRpcResponse) => void = () => {};
  #initialized = false;

  constructor(open: (events: ServerLinkEvents) => Promise<ServerLink>) {
    this.#open = open;
  }

  /** Resolves when the connection stands; rejects with the reason why it cannot. */
  async attach(client: SharingClient): Promise<void> {
    this.#clients.add(client);
    try {
      this.#link ??= this.#open({
        message: (message, relatedRequestId) => this.#fromServer(message, relatedRequestId),
        closed: (error) => this.#closed(error),
      });
      await this.#link;
    } catch (error) {
      this.#clients.delete(client);
      this.#link = undefined;
      throw error;
    }
  }

  /** The client leaves; its open calls are cancelled. With the last one the connection goes, never the server. */
  detach(client: SharingClient): void {
    if (!this.#clients.delete(client)) return;
    for (const id of this.#toServer.idsWhere(({ client: owner }) => owner === client)) {
      this.#toServer.take(id);
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    for (const [token, { client: owner }] of this.#progress)
      if (owner === client) this.#progress.delete(token);
    for (const subscribers of this.#subscribers.values()) subscribers.delete(client);
    if (this.#clients.size === 0) this.#release();
  }

  receive(client: SharingClient, message: JsonRpcMessage): void {
    if (!('method' in message)) this.#answerOfClient(message);
    else if ('id' in message) this.#requestOfClient(client, message);
    else this.#notificationOfClient(client, message);
  }

  #requestOfClient(client: SharingClient, request: JsonRpcRequest): void {
    if (request.method === 'initialize') {
      void this.#initialize(request).then((response) => client.message({ ...response, id: request.id }));
      return;
    }
    this.#noteSubscription(client, request);
    const id = this.#toServer.put(request.id, { client, method: request.method });
    this.#send({ ...request, id, ...this.#withProgressToken(client, request, id) });
  }

  /** The server is initialized by the first client; the others hear the same answer. */
  #initialize(request: JsonRpcRequest): Promise<JsonRpcResponse> {
    this.#handshake ??= new Promise((resolve) => {
      this.#finishHandshake = resolve;
      this.#send({ ...request, id: HANDSHAKE_ID });
    });
    return this.#handshake;
  }

  #notificationOfClient(client: SharingClient, message: JsonRpcNotification): void {
    if (message.method === 'notifications/initialized') {
      if (this.#initialized) return;
      this.#initialized = true;
    }
    if (message.method !== 'notifications/cancelled') {
      this.#send(message);
      return;
    }
    const id = this.#toServer.find(
      message.params?.requestId as JsonRpcId,
      ({ client: owner }) => owner === client,
    );
    if (id !== undefined) this.#send({ ...message, params: { ...message.params, requestId: id } });
  }

  #answerOfClient(response: JsonRpcResponse): void {
    const asked = response.id === undefined ? undefined : this.#toClient.take(response.id);
    if (asked !== undefined) this.#send({ ...response, id: asked.id });
  }

  #fromServer(message: JsonRpcMessage, relatedRequestId: JsonRpcId | undefined): void {
    if (!('method' in message)) this.#answerOfServer(message);
    else if ('id' in message) this.#requestOfServer(message, relatedRequestId);
    else this.#notificationOfServer(message, relatedRequestId);
  }

  #answerOfServer(response: JsonRpcResponse): void {
    if (response.id === HANDSHAKE_ID) {
      this.#finishHandshake(response);
      return;
    }
    const asked = response.id === undefined ? undefined : this.#toServer.take(response.id);
    if (response.id !== undefined) this.#progress.delete(response.id);
    asked?.value.client.message({ ...response, id: asked.id });
  }

  #requestOfServer(request: JsonRpcRequest, relatedRequestId: JsonRpcId | undefined): void {
    const client = this.#concerned(relatedRequestId);
    if (client === undefined) {
      const message =
        'This server is shared by several conversations, and the request does not say to which of them it belongs.';
      this.#send({ jsonrpc: '2.0', id: request.id, error: { code: INTERNAL_ERROR, message } });
      return;
    }
    client.message({ ...request, id: this.#toClient.put(request.id, { client }) });
  }

  #notificationOfServer(message: JsonRpcNotification, relatedRequestId: JsonRpcId | undefined): void {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const owner = this.#progress.get(params?.progressToken as JsonRpcId);
      owner?.client.message({ ...message, params: { ...params, progressToken: owner.token } });
      return;
    }
    const related = relatedRequestId === undefined ? undefined : this.#toServer.get(relatedRequestId);
    if (related !== undefined && method === 'notifications/message') {
      related.client.message(message);
      return;
    }
    const subscribers = this.#subscribers.get(String(params?.uri));
    const audience = method === 'notifications/resources/updated' ? (subscribers ?? []) : this.#clients;
    for (const client of [...audience]) client.message(message);
  }

  /** The client whose call this belongs to; without a hint, the only one there is. */
  #concerned(relatedRequestId: JsonRpcId | undefined): SharingClient | undefined {
    const related = relatedRequestId === undefined ? undefined : this.#toServer.get(relatedRequestId)?.client;
    if (related !== undefined || this.#clients.size !== 1) return related;
    return this.#clients.values().next().value;
  }

  #withProgressToken(client: SharingClient, request: JsonRpcRequest, id: JsonRpcId): object {
    const meta = request.params?._meta as Record<string, unknown> | undefined;
    if (meta?.progressToken === undefined) return {};
    this.#progress.set(id, { client, token: meta.progressToken });
    return { params: { ...request.params, _meta: { ...meta, progressToken: id } } };
  }

  #noteSubscription(client: SharingClient, { method, params }: JsonRpcRequest): void {
    const uri = String(params?.uri);
    if (method === 'resources/unsubscribe') this.#subscribers.get(uri)?.delete(client);
    if (method !== 'resources/subscribe') return;
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    this.#subscribers.set(uri, subscribers.add(client));
  }

  #send(message: JsonRpcMessage): void {
    void this.#link?.then(
      (link) => link.send(message),
      () => {},
    );
  }

  #closed(error?: Error): void {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#reset();
    for (const client of clients) client.closed(error);
  }

  #release(): void {
    const link = this.#link;
    this.#reset();
    void link?.then(
      (open) => open.close(),
      () => {},
    );
  }

  #reset(): void {
    this.#link = undefined;
    this.#handshake = undefined;
    this.#initialized = false;
    this.#toServer.clear();
    this.#toClient.clear();
    this.#progress.clear();
    this.#subscribers.clear();
  }
}

/** No id of a client's request: those are numbers here. */
const HANDSHAKE_ID = 'tenon_handshake';

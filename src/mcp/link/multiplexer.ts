import { clock } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { INTERNAL_ERROR } from '../json-rpc/codes.js';
import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../types.js';
import { IdMap } from './id-map.js';
import { SharedHandshake } from './shared-handshake.js';
import { Subscriptions } from './subscriptions.js';

/** The one real connection to a server that can hold only one. */
export interface ServerLink {
  send(message: JsonRpcMessage): void;
  /** Gives up the connection; the server itself stays. The next connection waits for this. */
  close(): void | Promise<void>;
}

export interface ServerLinkEvents {
  /** `relatedRequestId` is the call that the message belongs to, if the MCP library says so. */
  message(message: JsonRpcMessage, relatedRequestId?: JsonRpcId): void;
  closed(error?: Error): void;
}

/** One of the clients that share the server. */
export interface SharingClient {
  /** `relatedRequestId` is the client's own request that the message belongs to, if known. */
  message(message: JsonRpcMessage, relatedRequestId?: JsonRpcId): void;
  closed(error?: Error): void;
}

interface Addressee {
  client: SharingClient;
  requestId: JsonRpcId | undefined;
}

/** Cannot clash with clients' requests: their ids are numbers here. */
const HANDSHAKE_ID = 'tenon_handshake';
/** Nobody waits for the answer. */
const UNSUBSCRIBE_ID = 'tenon_unsubscribe';

/**
 * Lets any number of clients share one connection to an MCP server. Ids and progress tokens are rewritten so that they
 * cannot clash; the handshake is made once and remembered; notifications go to the clients they concern, or to all.
 */
export class Multiplexer {
  readonly #open: (events: ServerLinkEvents) => Promise<ServerLink>;
  readonly #clients = new Set<SharingClient>();
  /** Requests from clients to the server, and from the server to clients. */
  readonly #toServer = new IdMap<SharingClient>(() => this.#nextId++);
  /** Clients may be strangers to each other (HTTP): none can guess what another was asked. */
  readonly #toClient = new IdMap<SharingClient>(() => clock.uuid());
  #nextId = 1;
  readonly #progress = new Map<JsonRpcId, { client: SharingClient; token: unknown; requestId: JsonRpcId }>();
  readonly #subscriptions = new Subscriptions<SharingClient>();
  readonly #handshake = new SharedHandshake();
  #link: Promise<ServerLink> | undefined;
  #released: Promise<void> = Promise.resolve();

  constructor(open: (events: ServerLinkEvents) => Promise<ServerLink>) {
    this.#open = open;
  }

  /** Resolves when the connection given up last is closed. */
  get released(): Promise<void> {
    return this.#released;
  }

  /** Resolves when the connection is up; rejects with the reason if it fails. */
  async attach(client: SharingClient): Promise<void> {
    this.#clients.add(client);
    this.#link ??= this.#connect();
    const link = this.#link;
    try {
      await link;
    } catch (error) {
      this.#clients.delete(client);
      if (this.#link === link) this.#link = undefined;
      throw error;
    }
    if (this.#link !== link) throw new Error('The connection to the MCP server was closed.');
  }

  #connect(): Promise<ServerLink> {
    // Messages of a connection that was given up must not reach the next one.
    const isCurrent = (): boolean => this.#link === link;
    const link: Promise<ServerLink> = this.#released.then(() =>
      this.#open({
        message: (message, relatedRequestId) => {
          if (isCurrent()) this.#fromServer(message, relatedRequestId);
        },
        closed: (error) => {
          if (isCurrent()) this.#closed(error);
        },
      }),
    );
    return link;
  }

  /** The client leaves, and its open calls are cancelled. The last one takes the connection with it, never the server. */
  detach(client: SharingClient): void {
    if (!this.#clients.delete(client)) return;
    const isOwn = (owner: SharingClient): boolean => owner === client;
    for (const id of this.#toServer.idsWhere(isOwn)) {
      this.#forget(id);
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    for (const id of this.#toClient.idsWhere(isOwn)) {
      this.#refuse(this.#toClient.take(id)?.id, 'The conversation has ended.');
    }
    for (const uri of this.#subscriptions.removeClient(client)) {
      this.#send({ jsonrpc: '2.0', id: UNSUBSCRIBE_ID, method: 'resources/unsubscribe', params: { uri } });
    }
    if (this.#clients.size === 0) this.#release();
  }

  receive(client: SharingClient, message: JsonRpcMessage): void {
    if (!this.#clients.has(client)) this.#fromStranger(client, message);
    else if (!('method' in message)) this.#answerOfClient(client, message);
    else if ('id' in message) this.#requestOfClient(client, message);
    else this.#notificationOfClient(client, message);
  }

  /** A client whose server is gone, or that has left: nobody else would answer it. */
  #fromStranger(client: SharingClient, message: JsonRpcMessage): void {
    if (!('method' in message && 'id' in message)) return;
    const error = { code: INTERNAL_ERROR, message: 'The MCP server was closed.' };
    client.message({ jsonrpc: '2.0', id: message.id, error });
  }

  #requestOfClient(client: SharingClient, request: JsonRpcRequest): void {
    const { method, params } = request;
    if (method === 'initialize') {
      const answer = this.#handshake.ask(() => this.#send({ ...request, id: HANDSHAKE_ID }));
      void answer.then((response) => client.message({ ...response, id: request.id }));
      return;
    }
    const uri = typeof params?.uri === 'string' ? params.uri : undefined;
    if (method === 'resources/subscribe' && uri !== undefined) this.#subscriptions.add(uri, client);
    if (method === 'resources/unsubscribe' && uri !== undefined && this.#subscriptions.remove(uri, client)) {
      // The server knows a single subscriber, which still stands for others.
      client.message({ jsonrpc: '2.0', id: request.id, result: {} });
      return;
    }
    const id = this.#toServer.put(request.id, client);
    this.#send({ ...request, id, ...this.#withProgressToken(client, request, id) });
  }

  #notificationOfClient(client: SharingClient, message: JsonRpcNotification): void {
    if (message.method === 'notifications/initialized' && !this.#handshake.announce()) return;
    if (message.method !== 'notifications/cancelled') {
      this.#send(message);
      return;
    }
    const id = this.#toServer.find(message.params?.requestId as JsonRpcId, (owner) => owner === client);
    if (id === undefined) return;
    // It will not be answered.
    this.#forget(id);
    this.#send({ ...message, params: { ...message.params, requestId: id } });
  }

  /** Only the client that was asked can answer. */
  #answerOfClient(client: SharingClient, response: JsonRpcResponse): void {
    const asked = response.id === undefined ? undefined : this.#toClient.get(response.id);
    if (response.id === undefined || asked?.value !== client) return;
    this.#toClient.take(response.id);
    this.#send({ ...response, id: asked.id });
  }

  #fromServer(message: JsonRpcMessage, relatedRequestId: JsonRpcId | undefined): void {
    if (!('method' in message)) this.#answerOfServer(message);
    else if ('id' in message) this.#requestOfServer(message, relatedRequestId);
    else this.#notificationOfServer(message, relatedRequestId);
  }

  #answerOfServer(response: JsonRpcResponse): void {
    if (response.id === HANDSHAKE_ID) {
      this.#handshake.finish(response);
      return;
    }
    const entry = response.id === undefined ? undefined : this.#forget(response.id);
    entry?.value.message({ ...response, id: entry.id });
  }

  #requestOfServer(request: JsonRpcRequest, relatedRequestId: JsonRpcId | undefined): void {
    if (request.method === 'ping') {
      // It asks whether the connection is up, which is known here.
      this.#send({ jsonrpc: '2.0', id: request.id, result: {} });
      return;
    }
    const addressee = this.#addresseeOf(relatedRequestId);
    if (addressee === undefined) {
      const reason =
        relatedRequestId === undefined
          ? 'Several conversations share this server, and the request does not say which of them it belongs to.'
          : 'The call that the request belongs to is over.';
      this.#refuse(request.id, reason);
      return;
    }
    const { client, requestId } = addressee;
    client.message({ ...request, id: this.#toClient.put(request.id, client) }, requestId);
  }

  #notificationOfServer(message: JsonRpcNotification, relatedRequestId: JsonRpcId | undefined): void {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const owner = this.#progress.get(params?.progressToken as JsonRpcId);
      const restored = { ...message, params: { ...params, progressToken: owner?.token } };
      owner?.client.message(restored, owner.requestId);
    } else if (method === 'notifications/cancelled') {
      const id = this.#toClient.find(params?.requestId as JsonRpcId, () => true);
      const entry = id === undefined ? undefined : this.#toClient.take(id);
      entry?.value.message({ ...message, params: { ...params, requestId: id } });
    } else if (method === 'notifications/resources/updated') {
      const uri = typeof params?.uri === 'string' ? params.uri : '';
      for (const client of this.#subscriptions.clientsOf(uri)) client.message(message);
    } else if (relatedRequestId === undefined || method.endsWith('/list_changed')) {
      for (const client of [...this.#clients]) client.message(message);
    } else {
      const related = this.#toServer.get(relatedRequestId);
      related?.value.message(message, related.id);
    }
  }

  /** The recipient of a request from the server: the caller it names, or the only client it can mean. */
  #addresseeOf(relatedRequestId: JsonRpcId | undefined): Addressee | undefined {
    if (relatedRequestId !== undefined) {
      const related = this.#toServer.get(relatedRequestId);
      return related && { client: related.value, requestId: related.id };
    }
    // MCP: a server makes requests only while it serves a call.
    const open = this.#toServer.entries();
    const candidates = new Set(open.length > 0 ? open.map(({ value }) => value) : this.#clients);
    const [client] = candidates;
    if (client === undefined || candidates.size > 1) return undefined;
    return { client, requestId: open.length === 1 ? open[0]?.id : undefined };
  }

  #withProgressToken(client: SharingClient, request: JsonRpcRequest, id: JsonRpcId): object {
    const meta = request.params?._meta;
    if (!isRecord(meta) || meta.progressToken === undefined) return {};
    this.#progress.set(id, { client, token: meta.progressToken, requestId: request.id });
    return { params: { ...request.params, _meta: { ...meta, progressToken: id } } };
  }

  #forget(id: JsonRpcId): { id: JsonRpcId; value: SharingClient } | undefined {
    this.#progress.delete(id);
    return this.#toServer.take(id);
  }

  #refuse(id: JsonRpcId | undefined, message: string): void {
    this.#send({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
  }

  #send(message: JsonRpcMessage): void {
    // A server object that throws on a message must not take the process down.
    this.#link?.then((link) => link.send(message)).catch(() => {});
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
    if (link !== undefined) this.#released = link.then((open) => open.close()).catch(() => {});
  }

  #reset(): void {
    this.#link = undefined;
    this.#handshake.reset();
    this.#toServer.clear();
    this.#toClient.clear();
    this.#progress.clear();
    this.#subscriptions.clear();
  }
}

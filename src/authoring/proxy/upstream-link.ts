import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, TenonError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import type { JsonRpcId, JsonRpcMessage } from '../../protocol/mcp.js';
import type { ServerLink, ServerLinkEvents } from '../../protocol/mcp-link/multiplexer.js';
import { StderrTail } from '../../protocol/stderr-tail.js';
import { INTERNAL_ERROR } from '../json-rpc-fault.js';
import { secretHider } from './secrets.js';
import {
  makeTransport,
  type ProxiedServerConfig,
  placeOf,
  type UpstreamTransport,
} from './upstream-transport.js';

export interface Upstream {
  readonly name: string;
  readonly config: ProxiedServerConfig;
  readonly connectTimeoutMs: number;
}

/** The `data` of an error that the server did not send: it was not reached. */
export const NOT_REACHED: object = {};

export async function openUpstream(upstream: Upstream, events: ServerLinkEvents): Promise<ServerLink> {
  const link = new UpstreamLink(upstream, events, await makeTransport(upstream.config));
  await link.start();
  return link;
}

/**
 * The connection to a server outside. It lives from its start to the first of: `close()`, the server's end, a failure
 * that no later message can get over. Whoever waits for an answer then hears why.
 */
class UpstreamLink implements ServerLink {
  readonly #upstream: Upstream;
  readonly #events: ServerLinkEvents;
  readonly #wire: UpstreamTransport;
  readonly #hideSecrets: (text: string) => string;
  readonly #stderr = new StderrTail();
  readonly #unanswered = new Set<JsonRpcId>();
  readonly #died: Promise<never>;
  #fail: (error: Error) => void = () => {};
  #connectTimer: NodeJS.Timeout | undefined;
  #handshakeId: JsonRpcId | undefined;
  /** Requests wait for `notifications/initialized`: over HTTP each message travels alone. */
  #mayFollow: Promise<unknown> = Promise.resolve();
  #isAlive = true;

  constructor(upstream: Upstream, events: ServerLinkEvents, wire: UpstreamTransport) {
    this.#upstream = upstream;
    this.#events = events;
    this.#wire = wire;
    this.#hideSecrets = secretHider(upstream.config);
    this.#died = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.#died.catch(() => {});
    wire.stderr?.setEncoding('utf8').on('data', (text: string) => this.#stderr.push(text));
    wire.transport.onmessage = (message) => this.#fromServer(message);
    wire.transport.onclose = () => void this.#die('has ended');
  }

  async start(): Promise<void> {
    const { connectTimeoutMs } = this.#upstream;
    this.#connectTimer = setTimeout(() => {
      void this.#die(`did not answer within ${connectTimeoutMs} ms`);
    }, connectTimeoutMs);
    const failed = 'url' in this.#upstream.config ? 'could not be reached' : 'could not be started';
    const started = this.#wire.transport.start().catch((error) => this.#die(failed, error));
    await Promise.race([started, this.#died]);
    if (!this.#isAlive) await this.#died;
    // Not before: what goes wrong at the start is told by `start`.
    this.#wire.transport.onerror = (error) => {
      if (this.#wire.errorEndsConnection(error)) void this.#die('was lost', error);
    };
  }

  send(message: JsonRpcMessage): void {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id !== undefined) this.#unanswered.add(id);
    if ('method' in message && message.method === 'initialize') this.#handshakeId = id;
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#unanswered.delete(message.params?.requestId as JsonRpcId);
    }
    const onRequestStreamEnd = (): void => this.#refuse(id, 'lost the connection before it answered');
    const sent = this.#mayFollow
      .then(() => this.#wire.transport.send(message, id === undefined ? {} : { onRequestStreamEnd }))
      .catch((error) => this.#sendFailed(id, error));
    if ('method' in message && message.method === 'notifications/initialized') this.#mayFollow = sent;
  }

  async close(): Promise<void> {
    this.#isAlive = false;
    clearTimeout(this.#connectTimer);
    await this.#shutDown();
  }

  #fromServer(message: JsonRpcMessage): void {
    if (!this.#isAlive) return;
    if (!('method' in message) && message.id !== undefined) {
      this.#unanswered.delete(message.id);
      if (message.id === this.#handshakeId) this.#shookHands(message);
    }
    this.#events.message(message);
  }

  #shookHands(answer: JsonRpcMessage): void {
    clearTimeout(this.#connectTimer);
    const version = 'result' in answer ? answer.result.protocolVersion : undefined;
    if (typeof version === 'string') this.#wire.transport.setProtocolVersion?.(version);
  }

  #sendFailed(id: JsonRpcId | undefined, error: unknown): void {
    if (!this.#isAlive) return;
    if (this.#wire.sendEndsConnection(error) || (id !== undefined && id === this.#handshakeId)) {
      void this.#die('could not be reached', error);
    } else {
      this.#refuse(id, 'could not take the request', error);
    }
  }

  /** Answers one request in the server's place. */
  #refuse(id: JsonRpcId | undefined, what: string, error?: unknown): void {
    if (id === undefined || !this.#isAlive || !this.#unanswered.delete(id)) return;
    const { message } = this.#failure(what, error);
    this.#events.message({
      jsonrpc: '2.0',
      id,
      error: { code: INTERNAL_ERROR, message, data: NOT_REACHED },
    });
  }

  async #die(what: string, error?: unknown): Promise<void> {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#connectTimer);
    const failure = this.#failure(what, error);
    this.#fail(failure);
    this.#events.closed(failure);
    await this.#shutDown();
  }

  async #shutDown(): Promise<void> {
    const { transport, leave } = this.#wire;
    if (leave !== undefined) {
      await Promise.race([leave(), wait(LIMITS.closeGraceMs, undefined, { ref: false })]).catch(() => {});
    }
    await transport.close().catch(() => {});
  }

  #failure(what: string, error?: unknown): TenonError {
    const { name, config } = this.#upstream;
    const reason = error === undefined ? '' : `: ${reasonOf(error)}`;
    const lastWords = this.#stderr.text.trim();
    const stderr = lastWords === '' ? '' : `\nThe last of its stderr:\n${lastWords}`;
    const text = `The MCP server "${name}" (${placeOf(config)}) ${what}${reason}.${stderr}`;
    return new TenonError('SERVER_FAILED', this.#hideSecrets(text));
  }
}

/** `fetch` says why only in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}

import { clock, type Timer, wait } from '../../protocol/base/clock.js';
import { AbortError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import { StderrTail } from '../../protocol/transport/pipes.js';
import { INTERNAL_ERROR } from '../json-rpc/codes.js';
import type { ServerLink, ServerLinkEvents } from '../link/multiplexer.js';
import type { JsonRpcId, JsonRpcMessage } from '../types.js';
import { secretsOf } from './secrets.js';
import { reasonOf, UpstreamFailure, type UpstreamFailureDetails } from './upstream-failure.js';
import {
  makeTransport,
  type ProxiedServerConfig,
  placeOf,
  type UpstreamSurroundings,
  type UpstreamTransport,
} from './upstream-transport.js';

export interface Upstream extends UpstreamSurroundings {
  readonly name: string;
  readonly config: ProxiedServerConfig;
  readonly connectTimeoutMs: number;
  /** Aborting it cancels the opening, which rejects once everything it started is undone. */
  readonly signal?: AbortSignal | undefined;
  /** Owned by the caller, who can still show it after the end. */
  readonly stderr?: StderrTail | undefined;
  readonly secrets?: SecretValues | undefined;
}

/** Cannot clash with the requests passing through: their ids are numbers. */
const PROBE_ID = 'tenon_probe';

export async function openUpstream(upstream: Upstream, events: ServerLinkEvents): Promise<ServerLink> {
  const { signal } = upstream;
  signal?.throwIfAborted();
  const link = new UpstreamLink(upstream, events);
  let closing: Promise<void> | undefined;
  const stop = (): void => {
    closing = link.close();
  };
  signal?.addEventListener('abort', stop);
  try {
    await link.start();
    return link;
  } finally {
    signal?.removeEventListener('abort', stop);
    await closing;
  }
}

/**
 * The connection to an external server. It lasts until `close()`, the server's end, or a failure that no later message
 * can survive, whichever comes first. Everyone waiting for an answer is then told why.
 */
class UpstreamLink implements ServerLink {
  readonly #upstream: Upstream;
  readonly #events: ServerLinkEvents;
  readonly #secrets: SecretValues;
  readonly #stderr: StderrTail;
  readonly #unanswered = new Set<JsonRpcId>();
  /** Those that certainly never reached the server: still queued, or turned away. */
  readonly #unsent = new Set<JsonRpcId>();
  readonly #sending = new Set<Promise<unknown>>();
  readonly #died: Promise<never>;
  #wire: UpstreamTransport | undefined;
  #fail: (error: Error) => void = () => {};
  #connectTimer: Timer | undefined;
  #handshakeId: JsonRpcId | undefined;
  /** Requests wait for `notifications/initialized`, because over HTTP messages can overtake each other, and for a probe. */
  #mayFollow: Promise<unknown> = Promise.resolve();
  #isAlive = true;

  constructor(upstream: Upstream, events: ServerLinkEvents) {
    this.#upstream = upstream;
    this.#events = events;
    this.#secrets = upstream.secrets ?? secretsOf(upstream.config);
    this.#stderr = upstream.stderr ?? new StderrTail();
    this.#died = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.#died.catch(() => {});
  }

  async start(): Promise<void> {
    const { config, connectTimeoutMs } = this.#upstream;
    this.#connectTimer = clock.setTimeout(() => {
      void this.#die(`did not answer within ${connectTimeoutMs} ms`);
    }, connectTimeoutMs);
    const wire = await makeTransport(config, this.#upstream, {
      stderr: (text) => this.#stderr.push(text),
      secrets: (values) => this.#secrets.addValues(values),
      lost: (reason) => void this.#die(reason),
    });
    if (!this.#isAlive) return this.#died;
    this.#wire = wire;
    wire.transport.onmessage = (message) => this.#fromServer(message);
    wire.transport.onclose = () => void this.#die(wire.ending());
    const failed = 'url' in config ? 'could not be reached' : 'could not be started';
    const started = wire.transport.start().catch((error) => this.#die(failed, error));
    await Promise.race([started, this.#died]);
    if (!this.#isAlive) await this.#died;
    // Not earlier: `start` reports what goes wrong at the start.
    wire.transport.onerror = (error) => {
      if (wire.errorEndsConnection(error)) void this.#die('was lost', error);
    };
  }

  send(message: JsonRpcMessage): void {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id !== undefined) {
      this.#unanswered.add(id);
      this.#unsent.add(id);
    }
    if ('method' in message && message.method === 'initialize') this.#handshakeId = id;
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#forget(message.params?.requestId as JsonRpcId);
    }
    const onRequestStreamEnd = (): void => this.#refuse(id, 'lost the connection before it answered');
    const sent: Promise<unknown> = this.#mayFollow
      .then(() => {
        if (id !== undefined && !this.#unsent.delete(id)) return undefined;
        return this.#wire?.transport.send(message, id === undefined ? {} : { onRequestStreamEnd });
      })
      .catch((error) => this.#sendFailed(id, error))
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
    if ('method' in message && message.method === 'notifications/initialized') this.#mayFollow = sent;
  }

  async close(): Promise<void> {
    const { leave } = this.#isAlive ? (this.#wire ?? {}) : {};
    this.#isAlive = false;
    this.#fail(new AbortError('The connection was closed.'));
    clock.clearTimeout(this.#connectTimer);
    if (leave !== undefined) {
      await Promise.race([leave(), wait(LIMITS.mcpLeaveMs, { keepsAlive: false })]).catch(() => {});
    }
    await this.#wire?.transport.close().catch(() => {});
  }

  #fromServer(message: JsonRpcMessage): void {
    if (!this.#isAlive) return;
    if (!('method' in message) && message.id !== undefined) {
      if (message.id === PROBE_ID) return;
      this.#unanswered.delete(message.id);
      if (message.id === this.#handshakeId) this.#shookHands(message);
    }
    this.#events.message(message);
  }

  #shookHands(answer: JsonRpcMessage): void {
    clock.clearTimeout(this.#connectTimer);
    const version = 'result' in answer ? answer.result.protocolVersion : undefined;
    if (typeof version === 'string') this.#wire?.transport.setProtocolVersion?.(version);
  }

  #sendFailed(id: JsonRpcId | undefined, error: unknown): void {
    if (!this.#isAlive || this.#wire === undefined) return;
    const { mayRepeat, isDoubtful, endsConnection } = this.#wire.verdict(error);
    const isHandshake = id !== undefined && id === this.#handshakeId;
    if (isHandshake) return void this.#die('could not be reached', error);
    if (endsConnection) {
      // It is told together with the end of the connection, so that it can be repeated over a new one.
      if (id !== undefined && mayRepeat) this.#unsent.add(id);
      this.#mayFollow = this.#fade(error);
      return;
    }
    this.#refuse(id, isDoubtful ? 'could not be reached' : 'could not take the request', error, mayRepeat);
    if (isDoubtful) this.#mayFollow = this.#probe();
  }

  /** The connection is unusable. Each message still being sent fails by itself, and may then be repeated. */
  async #fade(error: unknown): Promise<void> {
    const limit = wait(LIMITS.mcpFadeMs, { keepsAlive: false });
    await Promise.race([Promise.all(this.#sending), limit]);
    await this.#die('could not be reached', error);
  }

  /** One socket broke. Whether the server is still there and still knows us decides the fate of everything else. */
  async #probe(): Promise<void> {
    const answered = this.#wire?.transport.send({ jsonrpc: '2.0', id: PROBE_ID, method: 'ping' });
    const limit = wait(LIMITS.closeGraceMs, { keepsAlive: false });
    await Promise.race([answered, limit]).catch((error) => this.#die('could not be reached', error));
  }

  /** Answers one request in the server's place. */
  #refuse(id: JsonRpcId | undefined, what: string, error?: unknown, mayRepeat = false): void {
    if (id === undefined || !this.#isAlive || !this.#forget(id)) return;
    const failure = this.#failure(what, error, { mayRepeat, ...this.#admission(error) });
    const { message } = failure;
    this.#events.message({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: failure } });
  }

  #forget(id: JsonRpcId): boolean {
    this.#unsent.delete(id);
    return this.#unanswered.delete(id);
  }

  async #die(what: string, error?: unknown): Promise<void> {
    if (!this.#isAlive) return;
    for (const id of [...this.#unsent]) this.#refuse(id, what, error, true);
    this.#isAlive = false;
    clock.clearTimeout(this.#connectTimer);
    const failure = this.#failure(what, error, this.#admission(error));
    this.#fail(failure);
    this.#events.closed(failure);
    await this.#wire?.transport.close().catch(() => {});
  }

  #admission(error: unknown): UpstreamFailureDetails {
    if (error === undefined || this.#wire?.verdict(error).isUnauthorized !== true) return {};
    return { challenge: this.#wire.challenge?.() ?? {} };
  }

  #failure(what: string, error?: unknown, details: UpstreamFailureDetails = {}): UpstreamFailure {
    const { name, config } = this.#upstream;
    const reason = error === undefined ? '' : `: ${reasonOf(error)}`;
    const said = `${what}${reason}`.replace(/\.$/, '');
    const lastWords = this.#stderr.text.trim();
    const stderr = lastWords === '' ? '' : `\nThe last of its stderr:\n${lastWords}`;
    const text = `The MCP server "${name}" (${placeOf(config)}) ${said}.${stderr}`;
    return new UpstreamFailure(this.#secrets.hide(text), details);
  }
}

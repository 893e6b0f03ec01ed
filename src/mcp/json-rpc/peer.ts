import { Cancellation } from '../../protocol/base/cancellation.js';
import { clock, MAX_TIMER_MS, type Timer } from '../../protocol/base/clock.js';
import { AbortError, messageOf, TenonError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type {
  JsonRpcError,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../types.js';
import { INTERNAL_ERROR, METHOD_NOT_FOUND, REQUEST_CANCELLED } from './codes.js';
import { faultResponse, JsonRpcFault } from './fault.js';
import { problemOf } from './message.js';

type Params = Record<string, unknown>;

/** The wire, and how this side handles what arrives over it. */
export interface PeerPort {
  /** Resolves when the message is on its way; rejecting fails the request. */
  send(message: JsonRpcMessage, relatedRequestId: JsonRpcId | undefined): Promise<void>;
  /** Returns the result of a request, or throws to refuse it. Without this, every request is refused. */
  serve?(request: JsonRpcRequest, cancellation: Cancellation): Params | Promise<Params>;
  /** Any notification except progress of our requests and cancellation of theirs. */
  notified?(notification: JsonRpcNotification): void;
  /** What to tell the other side when we give up a request. Default: the text of the reason. */
  describe?(error: Error): string;
}

export interface JsonRpcRequestOptions {
  /** Either one gives up the request and tells the other side. */
  signal?: AbortSignal | undefined;
  cancellation?: Cancellation | undefined;
  /** No limit when 0 or longer than a timer can wait. */
  timeoutMs?: number | undefined;
  /** Also asks the other side to report progress. */
  onProgress?: ((progress: Params) => void) | undefined;
  /** The request, on this or another connection, that this one is made for. */
  relatedRequestId?: JsonRpcId | undefined;
}

/** The other side did not answer in time. */
export class JsonRpcTimeout extends Error {
  constructor(milliseconds: number) {
    super(`timed out after ${milliseconds / 1000}s`);
  }
}

interface PendingRequest {
  settle(outcome: JsonRpcResponse | Error): void;
  readonly onProgress: ((progress: Params) => void) | undefined;
  readonly relatedRequestId: JsonRpcId | undefined;
}

/**
 * One end of a JSON-RPC connection: requests in both directions with cancellation, progress and time limits. Each of our
 * requests settles exactly once, even when cancelled, although no version of MCP answers it then.
 */
export class JsonRpcPeer {
  readonly #port: PeerPort;
  readonly #idPrefix: string | undefined;
  #nextId: number;
  #ended: Error | undefined;
  // Created on first use: most open connections are idle.
  #pending: Map<JsonRpcId, PendingRequest> | undefined;
  /** Keyed by the request itself, because an id may be in use twice. */
  #serving: Map<JsonRpcRequest, Cancellation> | undefined;

  constructor(port: PeerPort, { firstId = 1, idPrefix }: { firstId?: number; idPrefix?: string } = {}) {
    this.#port = port;
    this.#nextId = firstId;
    this.#idPrefix = idPrefix;
  }

  request(method: string, params: Params | undefined, options: JsonRpcRequestOptions = {}): Promise<Params> {
    const { signal, cancellation, timeoutMs = 0, onProgress, relatedRequestId } = options;
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (signal?.aborted || cancellation?.isCancelled) return Promise.reject(cancelled(options));
    const number = this.#nextId++;
    const id = this.#idPrefix === undefined ? number : this.#idPrefix + number;
    this.#pending ??= new Map();
    const pending = this.#pending;
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const settle = (outcome: JsonRpcResponse | Error): void => {
        if (!pending.delete(id)) return;
        clock.clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        cancellation?.off(cancel);
        if (outcome instanceof Error) reject(outcome);
        else if ('error' in outcome) reject(errorOf(outcome.error));
        else if (isRecord(outcome.result)) resolve(outcome.result);
        else reject(new JsonRpcFault(INTERNAL_ERROR, `${method} was answered without a result.`));
      };
      const giveUp = (error: Error): void => {
        settle(error);
        const reason = this.#port.describe?.(error) ?? messageOf(error.cause ?? error);
        this.notify('notifications/cancelled', { requestId: id, reason }, relatedRequestId).catch(() => {});
      };
      const cancel = (): void => giveUp(cancelled(options));
      pending.set(id, { settle, onProgress, relatedRequestId });
      signal?.addEventListener('abort', cancel);
      cancellation?.on(cancel);
      if (timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS) {
        timer = clock.setTimeout(() => giveUp(new JsonRpcTimeout(timeoutMs)), timeoutMs);
      }
      const sent = onProgress === undefined ? params : withProgressToken(params, id);
      const message = sent === undefined ? { method } : { method, params: sent };
      this.#port
        .send({ jsonrpc: '2.0', id, ...message }, relatedRequestId)
        .catch((error) => settle(error instanceof Error ? error : new Error(messageOf(error))));
    });
  }

  async notify(method: string, params?: Params, relatedRequestId?: JsonRpcId): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const message = params === undefined ? { method } : { method, params };
    await this.#port.send({ jsonrpc: '2.0', ...message }, relatedRequestId);
  }

  /** Takes a message from the other side. */
  receive(message: JsonRpcMessage): void {
    const problem = problemOf(message);
    if (problem !== undefined) {
      if ('id' in message && message.id !== undefined && 'method' in message) {
        this.#port.send(faultResponse(message.id, problem), message.id).catch(() => {});
      }
    } else if (!('method' in message)) {
      if (message.id !== undefined) this.#pending?.get(message.id)?.settle(message);
    } else if ('id' in message) void this.#serve(message);
    else if (message.method === 'notifications/cancelled') this.#cancel(message.params);
    else {
      const { onProgress } = this.#pendingOf(message) ?? {};
      if (onProgress === undefined) this.#port.notified?.(message);
      else onProgress(message.params ?? {});
    }
  }

  /** Answers a request from the other side. Never rejects; once cancelled it resolves at once, whatever `serve` does. */
  answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    this.#serving ??= new Map();
    const serving = this.#serving;
    return new Promise((resolve) => {
      const settle = (response: JsonRpcResponse): void => {
        serving.delete(request);
        cancellation.off(cancel);
        resolve(response);
      };
      const cancel = (): void => settle(this.#notServed(request));
      if (this.#ended !== undefined || cancellation.isCancelled) {
        cancel();
        return;
      }
      serving.set(request, cancellation);
      cancellation.on(cancel);
      this.#result(request, cancellation).then(
        (result) => settle({ jsonrpc: '2.0', id: request.id, result }),
        (error) => settle(faultResponse(request.id, error)),
      );
    });
  }

  /** What one of our open requests was made for; undefined once it has settled. */
  relatedRequestId(id: JsonRpcId | undefined): JsonRpcId | undefined {
    return id === undefined ? undefined : this.#pending?.get(id)?.relatedRequestId;
  }

  /** Fails our open requests; later ones are sent as before. */
  fail(reason: Error): void {
    for (const { settle } of [...(this.#pending?.values() ?? [])]) settle(reason);
  }

  /** The connection is gone: open requests in both directions end with the reason, and so does every later one. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.fail(reason);
    if (!this.#serving?.size) return;
    const aborted = reason instanceof AbortError ? reason : new AbortError(reason.message, { cause: reason });
    for (const cancellation of [...this.#serving.values()]) cancellation.cancel(aborted);
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const cancellation = new Cancellation();
    const response = await this.answer(request, cancellation);
    // MCP: a cancelled request gets no answer.
    if (cancellation.isCancelled || this.#ended !== undefined) return;
    await this.#port.send(response, request.id).catch(() => {});
  }

  #result(request: JsonRpcRequest, cancellation: Cancellation): Promise<Params> {
    try {
      if (this.#port.serve === undefined) throw new JsonRpcFault(METHOD_NOT_FOUND, 'Method not found');
      return Promise.resolve(this.#port.serve(request, cancellation));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** If an id is in use twice, a tool call is meant, never a handshake. */
  #cancel({ requestId, reason }: Params = {}): void {
    const candidates = [...(this.#serving ?? [])].filter(([{ id }]) => id === requestId);
    const [, cancellation] =
      candidates.findLast(([{ method }]) => method === 'tools/call') ?? candidates.at(-1) ?? [];
    const text = typeof reason === 'string' ? reason : 'The call was cancelled.';
    cancellation?.cancel(new AbortError(text));
  }

  #notServed({ id }: JsonRpcRequest): JsonRpcResponse {
    if (this.#ended instanceof JsonRpcFault) return faultResponse(id, this.#ended);
    const message = this.#ended?.message ?? 'Request cancelled';
    return { jsonrpc: '2.0', id, error: { code: REQUEST_CANCELLED, message } };
  }

  #pendingOf({ method, params }: JsonRpcNotification): PendingRequest | undefined {
    if (method !== 'notifications/progress') return undefined;
    return this.#pending?.get(params?.progressToken as JsonRpcId);
  }
}

function withProgressToken(params: Params = {}, progressToken: JsonRpcId): Params {
  return { ...params, _meta: { ...(params._meta as Params | undefined), progressToken } };
}

function cancelled({ signal, cancellation }: JsonRpcRequestOptions): AbortError {
  return new AbortError('The call was cancelled.', { cause: signal?.reason ?? cancellation?.reason });
}

/** A link that answers in the server's place attaches its own error. */
function errorOf(error: JsonRpcError['error'] | unknown): Error {
  const { code, message, data } = isRecord(error) ? error : ({} as Params);
  if (data instanceof TenonError) return data;
  return new JsonRpcFault(
    typeof code === 'number' ? code : INTERNAL_ERROR,
    typeof message === 'string' ? message : 'The request failed; the answer does not say why.',
    data,
  );
}

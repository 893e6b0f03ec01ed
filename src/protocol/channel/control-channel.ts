import { Cancellation } from '../base/cancellation.js';
import { clock } from '../base/clock.js';
import { AbortError, ControlTimeoutError, messageOf, TenonError } from '../base/errors.js';
import {
  type ControlCancelFrame,
  type ControlFailure,
  type ControlRequestFrame,
  type ControlResponseFrame,
  type ControlSuccess,
  type Frame,
  isControlCancel,
  isControlRequest,
  isControlResponse,
} from '../wire/frames.js';
import { controlErrorOf } from './control-error.js';

/**
 * Requests and answers in both directions over one stream of frames, with the same code for host and agent.
 * It knows nothing about MCP, hooks or permissions. An inbound request runs as a task with its own
 * Cancellation, and ends in exactly one of three ways: answered, cancelled by its sender, or dropped because
 * we closed.
 */
export interface InboundRequest {
  readonly requestId: string;
  readonly subtype: string;
  /** The whole request, as received. */
  readonly fields: Readonly<ControlRequestFrame['request']>;
  /** Cancelled when the sender withdraws the request or the channel closes. */
  readonly cancellation: Cancellation;
  /** The same, as a signal. */
  readonly signal: AbortSignal;
}

/**
 * Returns the payload of the answer, or undefined for an answer without one. Throwing makes it an error
 * answer.
 */
export type Serve = (request: InboundRequest) => unknown;

/** Thrown by a handler to give the error answer an `error_code`. */
export class ControlFault extends Error {
  readonly errorCode: string;

  constructor(errorCode: string, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

export function unsupportedRequest(subtype: string): ControlFault {
  return new ControlFault('unsupported_request', `Unsupported control request subtype: ${subtype}`);
}

export interface ControlChannelOptions {
  send(frame: Frame): void;
  serve: Serve;
  /** For frames that are ignored: late and repeated ones. */
  debug(message: string, frame: unknown): void;
  /** For frames that nobody can answer, because they do not say what they belong to. Default: `debug`. */
  malformed?(problem: string, frame: Frame): void;
  /** Called whenever the number of open requests in either direction changes. */
  changed(): void;
}

export interface RequestOptions {
  /** 0: wait for as long as the channel is open. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Gives up without telling the other side, which learns of it in another way. A late answer is ignored. */
  forgottenBy?: AbortSignal | undefined;
  /** A notification in the form of a request: nobody waits for it, so it does not hold the channel open. */
  background?: boolean;
}

interface Outbound {
  subtype: string;
  settle(outcome: ControlSuccess | Error): void;
}

// A class, because a literal with a getter is slow to create (docs/decisions/0017-checked-requests.md).
class Inbound implements InboundRequest {
  readonly requestId: string;
  readonly subtype: string;
  readonly fields: Readonly<ControlRequestFrame['request']>;
  readonly cancellation = new Cancellation();

  constructor({ request_id, request }: ControlRequestFrame) {
    this.requestId = request_id;
    this.subtype = request.subtype;
    this.fields = request;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }
}

export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #outbound = new Map<string, Outbound>();
  readonly #inbound = new Map<string, InboundRequest>();
  #waitedFor = 0;
  #nextId = 1;
  #closed: Error | string | undefined;
  #lastSubtype: string | undefined;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  /** Open requests with someone waiting, in both directions. */
  get openRequests(): number {
    return this.#inbound.size + this.#waitedFor;
  }

  get lastSubtype(): string | undefined {
    return this.#lastSubtype;
  }

  /** Resolves with the whole success answer; the payload is in its `response`. */
  request(subtype: string, fields: object, options: RequestOptions): Promise<ControlSuccess> {
    if (this.#closed !== undefined) return Promise.reject(this.#reason());
    if (options.signal?.aborted) return Promise.reject(abortErrorOf(options.signal));
    const requestId = `tenon_${this.#nextId++}`;
    const { background = false } = options;
    this.#lastSubtype = subtype;
    return new Promise((resolve, reject) => {
      const cleanups: (() => void)[] = [];
      const settle = (outcome: ControlSuccess | Error): void => {
        if (!this.#outbound.delete(requestId)) return;
        if (!background) this.#waitedFor -= 1;
        for (const cleanup of cleanups) cleanup();
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
        this.#options.changed();
      };
      this.#outbound.set(requestId, { subtype, settle });
      if (!background) this.#waitedFor += 1;
      if (options.timeoutMs > 0) {
        const giveUp = () => settle(new ControlTimeoutError(subtype, options.timeoutMs));
        const timer = clock.setTimeout(giveUp, options.timeoutMs);
        cleanups.push(() => clock.clearTimeout(timer));
      }
      const { signal, forgottenBy } = options;
      if (forgottenBy !== undefined) {
        const forget = (): void => settle(abortErrorOf(forgottenBy));
        forgottenBy.addEventListener('abort', forget, { once: true });
        cleanups.push(() => forgottenBy.removeEventListener('abort', forget));
      }
      if (signal !== undefined) {
        const withdraw = (): void => {
          this.#sendQuietly({ type: 'control_cancel_request', request_id: requestId });
          settle(abortErrorOf(signal));
        };
        signal.addEventListener('abort', withdraw, { once: true });
        cleanups.push(() => signal.removeEventListener('abort', withdraw));
      }
      try {
        this.#options.send({
          type: 'control_request',
          request_id: requestId,
          request: { subtype, ...fields },
        });
      } catch (error) {
        settle(error instanceof Error ? error : new Error(messageOf(error)));
      }
    });
  }

  /** Takes a control frame. A request is answered, whatever it is; other malformed frames are reported. */
  receive(frame: Frame): void {
    if (isControlRequest(frame)) this.#receiveRequest(frame);
    else if (isControlResponse(frame)) this.#receiveResponse(frame);
    else if (isControlCancel(frame)) this.#receiveCancel(frame);
    else if (frame.type === 'control_request') this.#refuse(frame.request_id as string);
    else this.#unmatched('answer to', undefined, frame);
  }

  /** Its sender waits for an answer. */
  #refuse(requestId: string): void {
    if (this.#closed !== undefined) return;
    const error = 'A control request needs a `request`, an object with a `subtype`, a string.';
    this.#answer({ subtype: 'error', request_id: requestId, error, error_code: 'invalid_request' });
  }

  #receiveRequest(frame: ControlRequestFrame): void {
    const requestId = frame.request_id;
    if (this.#closed !== undefined) return;
    if (this.#inbound.has(requestId)) {
      this.#options.debug(`repeated control request "${requestId}" is still being served: ignored`, frame);
      return;
    }
    const request = new Inbound(frame);
    this.#inbound.set(requestId, request);
    this.#options.changed();
    void this.#serve(request);
  }

  #receiveResponse(frame: ControlResponseFrame): void {
    const { response } = frame;
    const outbound = this.#outbound.get(response.request_id);
    if (outbound === undefined) {
      this.#unmatched('answer to', response.request_id, frame);
      return;
    }
    outbound.settle(
      response.subtype === 'success' ? response : controlErrorOf(outbound.subtype, { ...response }),
    );
  }

  #receiveCancel(frame: ControlCancelFrame): void {
    const request = this.#inbound.get(frame.request_id);
    if (request === undefined) return void this.#unmatched('cancellation of', frame.request_id, frame);
    this.#inbound.delete(frame.request_id);
    request.cancellation.cancel(new AbortError('The agent withdrew this request.'));
    this.#options.changed();
  }

  /** Late, or malformed: what names no request belongs to nothing. */
  #unmatched(what: string, id: unknown, frame: Frame): void {
    const late = `${what} a control request that is not open: ignored`;
    if (typeof id === 'string' || !this.#options.malformed) this.#options.debug(late, frame);
    else this.#options.malformed('it does not say which request it belongs to (`request_id`)', frame);
  }

  /**
   * Settles everything: outbound requests reject with `reason`, inbound ones are aborted and never answered.
   * A string becomes a `CLOSED` error only when someone receives it: usually nobody does, and a stack trace
   * is expensive.
   */
  close(reason: Error | string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const outbound of [...this.#outbound.values()]) outbound.settle(this.#reason());
    const inbound = [...this.#inbound.values()];
    this.#inbound.clear();
    if (inbound.length > 0) this.#abort(inbound);
    this.#options.changed();
  }

  #reason(): Error {
    if (typeof this.#closed === 'string') this.#closed = new TenonError('CLOSED', this.#closed);
    return this.#closed as Error;
  }

  /** With an AbortError: programs recognise a cancellation by that name, also when `fetch` rethrows it. */
  #abort(inbound: readonly InboundRequest[]): void {
    const cause = this.#reason();
    const code = TenonError.is(cause) ? cause.code : 'ABORTED';
    const aborted = new AbortError(cause.message, { code, cause });
    for (const { cancellation } of inbound) cancellation.cancel(aborted);
  }

  async #serve(request: InboundRequest): Promise<void> {
    const { requestId } = request;
    let response: ControlSuccess | ControlFailure;
    try {
      const payload = await this.#options.serve(request);
      response = { subtype: 'success', request_id: requestId };
      if (payload !== undefined) response.response = payload;
    } catch (error) {
      response = { subtype: 'error', request_id: requestId, error: messageOf(error) };
      if (error instanceof ControlFault) response.error_code = error.errorCode;
    }
    // Neither a cancelled request nor one replaced by a later request with the same id may be answered.
    if (this.#inbound.get(requestId) !== request) return;
    this.#inbound.delete(requestId);
    this.#answer(response);
    this.#options.changed();
  }

  #answer(response: ControlSuccess | ControlFailure): void {
    try {
      this.#options.send({ type: 'control_response', response });
    } catch (error) {
      if (TenonError.is(error)) {
        this.#options.debug('answer after the end of input: dropped', response);
        return;
      }
      // Not serialisable (a BigInt, a cycle). The other side is still waiting, so it gets an error.
      const { request_id } = response;
      const failure = { subtype: 'error' as const, request_id, error: messageOf(error) };
      this.#sendQuietly({ type: 'control_response', response: failure });
    }
  }

  #sendQuietly(frame: Frame): void {
    try {
      this.#options.send(frame);
    } catch (error) {
      this.#options.debug(`could not send: ${messageOf(error)}`, frame);
    }
  }
}

function abortErrorOf(signal: AbortSignal): AbortError {
  return new AbortError('Operation aborted', { cause: signal.reason });
}

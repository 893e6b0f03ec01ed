import { Cancellation } from './cancellation.js';
import { AbortError, ControlError, ControlTimeoutError, messageOf, TenonError } from './errors.js';
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
} from './frames.js';

/**
 * Requests and answers in both directions over one stream of frames, the same code for host and agent. It knows
 * nothing about MCP, hooks or permissions. Life of an inbound request: it gets a task of its own with its own
 * Cancellation, and ends in exactly one of: answered, cancelled by its sender, dropped because we closed.
 */
export interface InboundRequest {
  readonly requestId: string;
  readonly subtype: string;
  /** All of the request, as it came. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** When the sender withdraws the request or the channel closes. */
  readonly cancellation: Cancellation;
  /** The same as a signal. */
  readonly signal: AbortSignal;
}

/** What to say to a request: a payload, or nothing (an answer without one). Throwing makes it an error answer. */
export type Serve = (request: InboundRequest) => unknown;

/** Throw it from a handler to give the error answer an `error_code`. */
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
  /** For lines that change nothing: late, repeated and unknown ones. */
  debug(message: string, frame: unknown): void;
  /** Called whenever the number of open requests in either direction has changed. */
  changed(): void;
}

export interface RequestOptions {
  /** 0: wait as long as the channel lives. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Gives up without telling the other side, which has heard of it otherwise. A late answer is passed over. */
  forgottenBy?: AbortSignal | undefined;
  /** A notification in the shape of a request: nobody waits for it, so it does not hold the channel open. */
  background?: boolean;
}

interface Outbound {
  subtype: string;
  settle(outcome: ControlSuccess | Error): void;
}

// A class, and not a literal with a getter: that would take twenty times as long to make.
class Inbound implements InboundRequest {
  readonly requestId: string;
  readonly subtype: string;
  readonly fields: Readonly<Record<string, unknown>>;
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

  /** Open requests that somebody waits for, in both directions. */
  get openRequests(): number {
    return this.#inbound.size + this.#waitedFor;
  }

  get lastSubtype(): string | undefined {
    return this.#lastSubtype;
  }

  /** The whole success answer: the payload is in its `response`. */
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
        const timer = setTimeout(giveUp, options.timeoutMs);
        cleanups.push(() => clearTimeout(timer));
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

  /** A frame of control traffic; what is none, or malformed, is passed over. */
  receive(frame: Frame): void {
    if (isControlRequest(frame)) this.#receiveRequest(frame);
    else if (isControlResponse(frame)) this.#receiveResponse(frame);
    else if (isControlCancel(frame)) this.#receiveCancel(frame);
    else this.#options.debug('malformed control frame: ignored', frame);
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
      this.#options.debug('answer to no open control request: ignored', frame);
      return;
    }
    outbound.settle(response.subtype === 'error' ? controlErrorOf(outbound.subtype, response) : response);
  }

  #receiveCancel(frame: ControlCancelFrame): void {
    const request = this.#inbound.get(frame.request_id);
    if (request === undefined) {
      this.#options.debug('cancel of no open control request: ignored', frame);
      return;
    }
    this.#inbound.delete(frame.request_id);
    request.cancellation.cancel(new AbortError('The agent withdrew this request.'));
    this.#options.changed();
  }

  /**
   * Settles everything: outbound requests reject with `reason`, inbound ones are aborted and never answered. A text is a
   * `CLOSED` error, made when somebody has to hear it: mostly nobody does, and with its trace it takes 16 µs.
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

  /** By the name of an AbortError: programs tell from it that something was called off, also when `fetch` throws it at them. */
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
    // A cancelled request must not be answered, nor one that a later request with the same id has replaced.
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
      // Not serialisable (a BigInt, a cycle). The other side still waits: it gets an error instead of silence.
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

function controlErrorOf(subtype: string, failure: ControlFailure): ControlError {
  return new ControlError(
    subtype,
    failure.error ?? `The agent refused the control request "${subtype}".`,
    failure.error_code,
  );
}

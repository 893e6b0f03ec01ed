import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../protocol/base/errors.js';
import { deepFreeze } from '../script/deep-freeze.js';
import { ScriptError } from '../script/errors.js';
import { idSequence } from '../script/message.js';
import type { ScriptStep } from '../script/normalise-step.js';
import { type Answerer, type Script, ScriptReader } from '../script/reader.js';
import { Recorder } from '../script/recorder.js';
import type { ScriptedRequest } from '../script/request.js';
import { apiError, text } from '../script/steps.js';
import { answer, answerError, answerJson } from './answer.js';
import { estimateTokens } from './count-tokens.js';
import { headersOfInterest, readRequest } from './read-request.js';
import { isClaudeCodeSideRequest } from './side-requests.js';

/** Settings of `scriptedMessagesApi`. */
export interface ScriptedMessagesApiOptions {
  /**
   * Which requests are the client's side requests, answered without using a step of the script. Replaces
   * {@link isClaudeCodeSideRequest}.
   */
  readonly isSideRequest?: (request: ScriptedRequest) => boolean;
  /** The answer to side requests. Default: the text "ok". */
  readonly sideAnswer?: ScriptStep | ((request: ScriptedRequest) => ScriptStep | Promise<ScriptStep>);
  /** The answer to `POST /v1/messages/count_tokens`. Default: a quarter of the characters, rounded up. */
  readonly countTokens?: (request: ScriptedRequest) => number | Promise<number>;
}

/** A request to anything but `POST /v1/messages`: token counts, reachability probes, unknown paths. */
export interface OtherRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly body: string;
  /** The status of the answer. */
  readonly status: number;
}

/** One HTTP exchange. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly response: ServerResponse;
  /** Aborted as soon as the client disconnects. */
  readonly disconnected: AbortSignal;
}

/** Decides what each HTTP request is, records it, and has it answered. */
export class Routes {
  readonly reader: ScriptReader;
  readonly recorder: Recorder = new Recorder('scripted API');
  readonly sideRequests: ScriptedRequest[] = [];
  readonly otherRequests: OtherRequest[] = [];
  readonly #options: ScriptedMessagesApiOptions;
  readonly #sideAnswer: Answerer;
  readonly #mainIds = idSequence();
  // Side requests come at any time: separate numbers keep those of the conversation predictable.
  readonly #sideIds = idSequence('side_');

  constructor(script: Script, options: ScriptedMessagesApiOptions) {
    this.reader = new ScriptReader('scripted API', script);
    this.#options = options;
    const { sideAnswer = text('ok') } = options;
    if (typeof sideAnswer !== 'function') this.reader.check(sideAnswer, 'sideAnswer');
    this.#sideAnswer = typeof sideAnswer === 'function' ? sideAnswer : () => sideAnswer;
  }

  /** Never rejects: what the author's functions throw becomes an answer, and `assertDone` reports it. */
  async handle(
    incoming: IncomingMessage,
    response: ServerResponse,
    disconnected: AbortSignal,
  ): Promise<void> {
    const { method = 'GET', url: path = '/' } = incoming;
    const body = await readBody(incoming);
    if (body === undefined) return;
    try {
      await this.#route({
        method,
        path,
        headers: headersOfInterest(incoming.headers),
        body,
        response,
        disconnected,
      });
    } catch (error) {
      if (disconnected.aborted) return;
      const failure =
        error instanceof ScriptError
          ? error
          : this.reader.fail(`${method} ${path}: ${messageOf(error)}`, error);
      // A 400, so that the client fails quickly, with the reason in its own error.
      if (response.headersSent) response.destroy();
      else answerError(response, apiError(400, 'invalid_request_error', failure.message));
    }
  }

  async #route(exchange: Exchange): Promise<void> {
    const [path] = exchange.path.split('?');
    if (exchange.method === 'POST' && path === '/v1/messages') return this.#messages(exchange);
    if (exchange.method === 'POST' && path === '/v1/messages/count_tokens')
      return this.#countTokens(exchange);
    return this.#unknown(exchange);
  }

  async #messages(exchange: Exchange): Promise<void> {
    const request = this.#read(exchange);
    if (request === undefined) return;
    const { isSideRequest = isClaudeCodeSideRequest } = this.#options;
    if (isSideRequest(request)) return this.#sideRequest(request, exchange);
    this.recorder.add(request);
    const step = await this.reader.next(request);
    return answer(exchange.response, step, {
      request,
      ids: this.#mainIds,
      disconnected: exchange.disconnected,
    });
  }

  async #sideRequest(received: ScriptedRequest, exchange: Exchange): Promise<void> {
    const request = deepFreeze({ ...received, index: this.sideRequests.length });
    this.sideRequests.push(request);
    const step = await this.reader.ask(this.#sideAnswer, 'sideAnswer', request);
    return answer(exchange.response, step, {
      request,
      ids: this.#sideIds,
      disconnected: exchange.disconnected,
    });
  }

  async #countTokens(exchange: Exchange): Promise<void> {
    const request = this.#read(exchange);
    if (request === undefined) return;
    this.#recordOther(exchange, 200);
    const input_tokens = await (this.#options.countTokens?.(request) ?? estimateTokens(request.body));
    answerJson(exchange.response, 200, { input_tokens });
  }

  #unknown(exchange: Exchange): void {
    const { method, path, response } = exchange;
    // CLIs use HEAD to warm up a connection; an error there would only be noise.
    const status = method === 'HEAD' ? 200 : 404;
    this.#recordOther(exchange, status);
    if (status === 200) response.end();
    else answerError(response, apiError(404, 'not_found_error', `scripted API: no route ${method} ${path}`));
  }

  /** Returns the parsed request, or answers why it is invalid. */
  #read(exchange: Exchange): ScriptedRequest | undefined {
    try {
      return readRequest(exchange.body, exchange.headers, this.recorder.requests.length);
    } catch (error) {
      this.#recordOther(exchange, 400);
      answerError(exchange.response, apiError(400, 'invalid_request_error', messageOf(error)));
      return undefined;
    }
  }

  #recordOther({ method, path, body }: Exchange, status: number): void {
    this.otherRequests.push(deepFreeze({ method, path, body, status }));
  }
}

/** The whole body, or undefined if the client disconnected before its end. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString('utf8');
}

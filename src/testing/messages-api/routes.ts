import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../protocol/errors.js';
import { deepFreeze } from '../deep-freeze.js';
import { answer, answerError, answerJson } from './answer.js';
import { estimateTokens } from './count-tokens.js';
import type { IdSequence } from './message.js';
import { Recorder } from './recorder.js';
import { headersOfInterest, readRequest, type ScriptedRequest } from './request.js';
import { type Script, ScriptReader } from './script.js';
import { isClaudeCodeSideRequest } from './side-requests.js';
import { apiError, type Step, text } from './steps.js';

/** Settings of `scriptedMessagesApi`. */
export interface ScriptedMessagesApiOptions {
  /**
   * Which requests are asides of the client, to be answered without a step of the script. Replaces
   * {@link isClaudeCodeSideRequest}.
   */
  readonly isSideRequest?: (request: ScriptedRequest) => boolean;
  /** The answer to side requests. Default: the text "ok". */
  readonly sideAnswer?: Step | ((request: ScriptedRequest) => Step | Promise<Step>);
  /** The answer to `POST /v1/messages/count_tokens`. Default: a quarter of the characters, rounded up. */
  readonly countTokens?: (request: ScriptedRequest) => number | Promise<number>;
}

/** A request to anything but `POST /v1/messages`: token counts, reachability probes, unknown paths. */
export interface OtherRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly body: string;
  /** What it was answered with. */
  readonly status: number;
}

/** One HTTP exchange on its way through the routes. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly response: ServerResponse;
  /** Aborted as soon as the client is gone. */
  readonly gone: AbortSignal;
}

/** Decides what each HTTP request is, records it, and has it answered. */
export class Routes {
  readonly reader: ScriptReader;
  readonly recorder: Recorder = new Recorder();
  readonly sideRequests: ScriptedRequest[] = [];
  readonly otherRequests: OtherRequest[] = [];
  readonly #options: ScriptedMessagesApiOptions;
  readonly #mainIds = idSequence('');
  // Side requests come at any moment: numbers of their own keep those of the conversation predictable.
  readonly #sideIds = idSequence('side_');

  constructor(script: Script, options: ScriptedMessagesApiOptions) {
    this.reader = new ScriptReader(script);
    this.#options = options;
  }

  /** Never rejects: what an author's function throws becomes an answer and a finding of `assertDone`. */
  async handle(incoming: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { method = 'GET', url: path = '/' } = incoming;
    const body = await readBody(incoming);
    if (body === undefined) return;
    try {
      await this.#route({ method, path, headers: headersOfInterest(incoming.headers), body, response, gone });
    } catch (error) {
      if (gone.aborted) return;
      const failure = this.reader.fail(`${method} ${path}: ${messageOf(error)}`, error);
      if (response.headersSent) response.destroy();
      else answerError(response, failure);
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
    if (isSideRequest(request)) return this.#aside(request, exchange);
    this.recorder.add(request);
    const step = await this.reader.next(request);
    return answer(exchange.response, step, { request, ids: this.#mainIds, gone: exchange.gone });
  }

  async #aside(asked: ScriptedRequest, exchange: Exchange): Promise<void> {
    const request = deepFreeze({ ...asked, index: this.sideRequests.length });
    this.sideRequests.push(request);
    const { sideAnswer = text('ok') } = this.#options;
    const step = await this.reader.guard(request, 'sideAnswer', () =>
      typeof sideAnswer === 'function' ? sideAnswer(request) : sideAnswer,
    );
    return answer(exchange.response, step, { request, ids: this.#sideIds, gone: exchange.gone });
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
    // HEAD is how a CLI warms up its connection; an error there would only be noise.
    const status = method === 'HEAD' ? 200 : 404;
    this.#recordOther(exchange, status);
    if (status === 200) response.end();
    else answerError(response, apiError(404, 'not_found_error', `scripted API: no route ${method} ${path}`));
  }

  /** The parsed request, or an answer that says why it is none. */
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

/** The whole body, or undefined when the client went away in the middle of it. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString('utf8');
}

function idSequence(mark: string): IdSequence {
  let messages = 0;
  let toolUses = 0;
  const padded = (count: number) => String(count).padStart(4, '0');
  return {
    nextMessage: () => `msg_${mark}${padded(++messages)}`,
    nextToolUse: () => `toolu_${mark}${padded(++toolUses)}`,
  };
}

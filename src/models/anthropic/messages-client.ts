import { createParser } from 'eventsource-parser';
import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import { MessagesApiError, MessagesConnectionError } from './messages-errors.js';
import type { BodyReader, MessagesFetch, MessagesResponse, ResponseBody } from './messages-fetch.js';
import { Silence } from './silence.js';

const API = 'https://api.anthropic.com';
/** The version of the Messages API whose events the runtime reads. */
const API_VERSION = '2023-06-01';

export interface MessagesClientOptions {
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly baseURL: string | undefined;
  /** Lines of `Name: value`, as in ANTHROPIC_CUSTOM_HEADERS. */
  readonly customHeaders: string | undefined;
  /** Default: the global one. */
  readonly fetch?: MessagesFetch | undefined;
}

interface Sent {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one request of the Messages API that the runtime makes: a streamed answer. */
export class MessagesClient {
  readonly baseURL: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: MessagesFetch;

  constructor({ apiKey, authToken, baseURL = API, customHeaders = '', fetch: given }: MessagesClientOptions) {
    this.baseURL = checkedURL(baseURL);
    // Looked up at each request: programs may replace it.
    this.#fetch = given ?? ((url, request) => fetch(url, request));
    this.#headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'anthropic-version': API_VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...(authToken === undefined ? {} : { authorization: `Bearer ${authToken}` }),
      ...headersIn(customHeaders),
    };
  }

  readonly messages = {
    create: (body: object, sent: Sent = {}): Promise<AsyncIterable<StreamEvent>> => this.#create(body, sent),
  };

  async #create(body: object, { signal, headers }: Sent): Promise<AsyncIterable<StreamEvent>> {
    const silence = new Silence(signal, LIMITS.modelSilenceMs);
    try {
      const response = await this.#fetch(`${this.baseURL}/v1/messages`, {
        method: 'POST',
        headers: { ...this.#headers, ...headers },
        body: JSON.stringify(body),
        signal: silence.signal,
      });
      if (!response.ok) throw await refusal(response);
      return new Events(streamOf(response), silence);
    } catch (error) {
      silence.end();
      throw failureOf(error, silence);
    }
  }
}

/** Reads the events of one answer. Leaving early cancels it. */
class Events implements AsyncIterableIterator<StreamEvent, void> {
  readonly #reader: BodyReader;
  readonly #silence: Silence;
  readonly #decoder = new TextDecoder();
  /** Read, and not asked for yet. */
  readonly #waiting: StreamEvent[] = [];
  #taken = 0;
  #failure: unknown;
  readonly #parser = createParser({
    onEvent: ({ data }) => this.#event(data),
    onError: ({ type, message }) => {
      // Lines that are no fields mean nothing.
      if (type === 'max-buffer-size-exceeded') this.#failure ??= new MessagesApiError(message);
    },
    maxBufferSize: LIMITS.modelEventChars,
  });

  constructor(stream: ResponseBody, silence: Silence) {
    this.#reader = stream.getReader();
    this.#silence = silence;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent, void>> {
    while (this.#taken === this.#waiting.length) {
      if (this.#failure !== undefined) return this.#fail(this.#failure);
      this.#waiting.length = 0;
      this.#taken = 0;
      const { done, value } = await this.#reader.read().catch((error) => this.#fail(error));
      if (done) {
        this.#silence.end();
        return { done: true, value: undefined };
      }
      this.#silence.broken();
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
    this.#taken += 1;
    return { done: false, value: this.#waiting[this.#taken - 1] as StreamEvent };
  }

  async return(): Promise<IteratorResult<StreamEvent, void>> {
    this.#silence.end();
    await this.#reader.cancel().catch(() => {});
    return { done: true, value: undefined };
  }

  async #fail(error: unknown): Promise<never> {
    const failure = failureOf(error, this.#silence);
    await this.return();
    throw failure;
  }

  #event(data: string): void {
    if (this.#failure !== undefined) return;
    try {
      const event = JSON.parse(data) as { type?: unknown };
      if (event.type === 'error') this.#failure = new MessagesApiError(data, { body: event });
      else if (event.type !== 'ping') this.#waiting.push(event as StreamEvent);
    } catch (error) {
      this.#failure = new MessagesApiError(`The API sent an event that is not JSON: ${data.slice(0, 200)}`, {
        cause: error,
      });
    }
  }
}

function streamOf(response: MessagesResponse): ResponseBody {
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && /^text\/event-stream\b/i.test(type)) return response.body;
  void response.body
    ?.getReader()
    .cancel()
    .catch(() => {});
  throw new MessagesApiError(
    `The API answered with "${type}" in place of a stream of events. Is the address one of the Messages API?`,
  );
}

async function refusal(response: MessagesResponse): Promise<MessagesApiError> {
  const { status, headers } = response;
  const text = (await startOf(response)).trim();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy, perhaps: its words are all there is.
  }
  const said = isRecord(body) && isRecord(body.error) ? body.error.message : undefined;
  const message = typeof said === 'string' ? said : text.slice(0, 1_000) || response.statusText;
  return new MessagesApiError(message, { status, headers, body });
}

/** As much of a body as a refusal has. */
async function startOf({ body }: MessagesResponse): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < LIMITS.modelRefusalChars) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel().catch(() => {});
  return text;
}

function failureOf(error: unknown, { isAborted, hasPassed, signal }: Silence): unknown {
  if (isAborted) return signal.reason;
  if (error instanceof MessagesApiError) return error;
  if (hasPassed) {
    const minutes = Math.round(LIMITS.modelSilenceMs / 60_000);
    return new MessagesConnectionError(`The API has sent nothing for ${minutes} minutes.`, error);
  }
  return new MessagesConnectionError(`The API cannot be reached, or has gone: ${messageOf(error)}.`, error);
}

function checkedURL(baseURL: string): string {
  const isUsable = /^https?:\/\//i.test(baseURL) && URL.canParse(baseURL);
  if (isUsable) return baseURL.replace(/\/+$/, '');
  throw new OptionError(
    'baseURL',
    baseURL,
    `anthropic(): the address of the API (\`baseURL\`, or ANTHROPIC_BASE_URL) must begin with http:// or https://; it is ${JSON.stringify(baseURL)}.`,
  );
}

function headersIn(lines: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon <= 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
  });
  return Object.fromEntries(pairs);
}

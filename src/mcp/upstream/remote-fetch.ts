import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { AddressGuard } from '../auth/address-guard.js';
import type { McpAuthChallenge } from '../status.js';
import { boundedResponse } from './bounded-response.js';
import { redirectOf } from './redirects.js';
import { ENDLESS_MESSAGE, isSessionUnknown, isUnreachable } from './upstream-failure.js';

/** Headers for each request: fixed, or asked for on connecting and again when the server rejects them. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export interface RemoteFetchEvents {
  /** Secrets that must not appear in any message. */
  secrets(values: readonly string[]): void;
  /** The stream of the server's own messages shows that the server is gone or has forgotten the session. */
  streamLost(reason: string): void;
  /** The server wants to lead us where we must not go. */
  misled(reason: string): void;
  /** A message was longer than the bound. */
  endless(): void;
}

/**
 * `fetch` for the transports of the MCP library. It adds the headers, but only to requests to the server itself: the
 * library also contacts others to find out how to sign in. And it notices what the library does not report.
 */
export class RemoteFetch {
  /** From the latest request that was refused. */
  challenge: McpAuthChallenge | undefined;
  readonly #origin: string;
  readonly #source: HeaderSource;
  readonly #events: RemoteFetchEvents;
  readonly #guard: AddressGuard;
  readonly #watchesStream: boolean;
  #headers: Promise<Readonly<Record<string, string>>> | undefined;
  #streamWasOpen = false;

  constructor(
    url: URL,
    source: HeaderSource,
    events: RemoteFetchEvents,
    guard: AddressGuard,
    watchesStream: boolean,
  ) {
    this.#origin = url.origin;
    this.#source = source;
    this.#events = events;
    this.#guard = guard;
    this.#watchesStream = watchesStream;
  }

  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    if (url.origin !== this.#origin) return this.#followed(url, init);
    const isStream = this.#watchesStream && init.method === 'GET' && accepts(init, 'text/event-stream');
    let response: Response;
    try {
      response = await this.#followed(url, init);
    } catch (error) {
      if (isStream && isUnreachable(error)) this.#events.streamLost('cannot be reached any more');
      throw error;
    }
    if (isStream) this.#streamAnswered(response.status);
    return response;
  };

  /** Redirects are followed here, because each of them has to be checked, and none may have our headers. */
  async #followed(url: URL, init: RequestInit): Promise<Response> {
    let at: { url: URL; init: RequestInit } = { url, init: { ...init, redirect: 'manual' } };
    for (let redirects = 0; redirects <= LIMITS.maxRedirects; redirects += 1) {
      const isOwn = at.url.origin === this.#origin;
      if (!isOwn) this.#check(at.url);
      const response = await (isOwn ? this.#authorized(at.url, at.init) : fetch(at.url, at.init));
      const next = redirectOf(response, at.url, at.init);
      if (next === undefined) return boundedResponse(response, () => this.#exceeded());
      await response.body?.cancel();
      at = next;
    }
    throw new TenonError('SERVER_FAILED', `${url.origin} redirects more than ${LIMITS.maxRedirects} times.`);
  }

  #exceeded(): Error {
    this.#events.endless();
    return new TenonError('SERVER_FAILED', `The server ${ENDLESS_MESSAGE}.`);
  }

  #check(url: URL): void {
    try {
      this.#guard.check(url);
    } catch (error) {
      // The library takes a failure to find metadata for the absence of metadata.
      this.#events.misled(messageOf(error));
      throw error;
    }
  }

  async #authorized(input: string | URL, init: RequestInit): Promise<Response> {
    const used = this.#current();
    let response = await patientFetch(input, withHeaders(init, await used));
    if (response.status === 401 && typeof this.#source === 'function') {
      await response.body?.cancel();
      // Of several requests refused at the same time, the first asks on behalf of all.
      if (this.#headers === used) this.#headers = undefined;
      response = await patientFetch(input, withHeaders(init, await this.#current()));
    }
    const challenge = response.headers.get('www-authenticate');
    if (response.status === 401 || (response.status === 403 && challenge !== null)) {
      this.challenge = parseChallenge(challenge);
    }
    return response;
  }

  #current(): Promise<Readonly<Record<string, string>>> {
    this.#headers ??= this.#ask();
    return this.#headers;
  }

  async #ask(): Promise<Readonly<Record<string, string>>> {
    const headers = typeof this.#source === 'function' ? await this.#source() : this.#source;
    this.#events.secrets(Object.values(headers));
    return headers;
  }

  #streamAnswered(status: number): void {
    if (status < 300) this.#streamWasOpen = true;
    // A server without such a stream also answers 404, but from the start.
    else if (this.#streamWasOpen && isSessionUnknown(status, 'session')) {
      this.#events.streamLost('has forgotten the session');
    }
  }
}

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/**
 * Node's `fetch` gives up after five minutes without a byte, but a tool may take hours. Only the dispatcher can lift the
 * limits, and the program may have chosen its own (a proxy, certificates); it is found under the name that Node gives it.
 */
const patient: Dispatcher = {
  dispatch: (options, handler) => {
    const dispatcher = (globalThis as unknown as Record<symbol, Dispatcher>)[GLOBAL_DISPATCHER] as Dispatcher;
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

function patientFetch(input: string | URL, init: RequestInit): Promise<Response> {
  return fetch(
    input,
    GLOBAL_DISPATCHER in globalThis ? ({ ...init, dispatcher: patient } as RequestInit) : init,
  );
}

function accepts(init: RequestInit, type: string): boolean {
  return new Headers(init.headers).get('accept')?.includes(type) === true;
}

/** The library's own take precedence: it knows the session and, with OAuth, the token. */
function withHeaders(init: RequestInit, extra: Readonly<Record<string, string>>): RequestInit {
  const headers = new Headers(extra);
  new Headers(init.headers).forEach((value, name) => {
    headers.set(name, value);
  });
  return { ...init, headers };
}

/** `WWW-Authenticate: Bearer realm="x", resource_metadata="…"`, read leniently. */
function parseChallenge(header: string | null): McpAuthChallenge {
  if (header === null) return {};
  const scheme = /^\s*([^\s,=]+)(?=\s|$)/.exec(header)?.[1];
  const parameter = (name: string): string | undefined => {
    const [, quoted, bare] = new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,]+))`).exec(header) ?? [];
    return quoted ?? bare;
  };
  const parts = {
    scheme,
    scope: parameter('scope'),
    error: parameter('error'),
    errorDescription: parameter('error_description'),
    resourceMetadataUrl: parameter('resource_metadata'),
  };
  const present = Object.entries(parts).filter(([, value]) => value !== undefined);
  return { header, ...Object.fromEntries(present) };
}

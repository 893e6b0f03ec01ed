import type { Host } from '../host.js';
import { checkedName } from '../storage/checked.js';
import type { SessionRef } from '../storage/port/conversation.js';
import { eventStreamResponse } from './event-stream.js';
import type { Caller, HandlerSettings, Wanted } from './handler-options.js';
import { notFound, Problem, ProgramFailure } from './problems.js';
import { jsonBody } from './request-body.js';

/** One request that was admitted, and what its answer is made with. */
export class Exchange {
  readonly host: Host;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The names in the path. */
  readonly names: Readonly<Record<string, string>>;
  readonly #settings: HandlerSettings;
  readonly #report: (during: string, error: unknown) => void;
  #caller: Caller;

  constructor(parts: {
    host: Host;
    request: Request;
    query: URLSearchParams;
    names: Readonly<Record<string, string>>;
    settings: HandlerSettings;
    caller: Caller;
    report: (during: string, error: unknown) => void;
  }) {
    this.host = parts.host;
    this.request = parts.request;
    this.query = parts.query;
    this.names = parts.names;
    this.#settings = parts.settings;
    this.#caller = parts.caller;
    this.#report = parts.report;
  }

  get tenant(): string {
    return this.#caller.tenant;
  }

  /** The only conversation that the caller may touch; undefined: all of the tenant's. */
  get onlySession(): string | undefined {
    return this.#caller.session;
  }

  /** The conversation of the path. */
  get ref(): SessionRef {
    return this.refOf(this.names.session);
  }

  /** A conversation by its name, if the caller may touch it. */
  refOf(name: unknown): SessionRef {
    const session = givenName('session', name);
    if (this.onlySession !== undefined && this.onlySession !== session) throw notFound();
    return { tenant: this.tenant, session };
  }

  /** Asks again who is asking, now that it is known for what. */
  async authorizeFor(wanted: Wanted): Promise<void> {
    this.#caller = await admit(this.#settings, this.request, wanted);
  }

  body(): Promise<Record<string, unknown>> {
    return jsonBody(this.request, this.#settings.maxBodyBytes);
  }

  /** An open stream to the caller. */
  stream(
    source: (signal: AbortSignal) => AsyncGenerator<string, void>,
    lastWords: (reason: 'slow' | 'failed') => string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return eventStreamResponse(
      {
        source,
        lastWords,
        signal: this.request.signal,
        slowReaderMs: this.#settings.slowReaderMs,
        onFailure: (error) => this.#report('reading for a caller over HTTP', error),
      },
      headers,
    );
  }
}

/** Who is asking. Whoever is not known is refused. */
export async function admit(
  { authorize }: HandlerSettings,
  request: Request,
  wanted: Wanted,
): Promise<Caller> {
  let caller: Caller | undefined;
  try {
    caller = checkedCaller(await authorize(request, wanted));
  } catch (error) {
    throw new ProgramFailure(error);
  }
  if (caller === undefined) throw new Problem(401, 'Who is asking is not known here.');
  return caller;
}

function checkedCaller(caller: Caller | null | undefined): Caller | undefined {
  if (caller === null || caller === undefined) return undefined;
  const { tenant, session } = caller;
  return {
    tenant: checkedName('tenant', tenant),
    ...(session === undefined ? {} : { session: checkedName('session', session) }),
  };
}

/** A name that a stranger has sent. */
export function givenName(what: string, value: unknown): string {
  try {
    return checkedName(what, value);
  } catch {
    throw new Problem(400, `The ${what} must be a name of 1 to 256 characters without control characters.`);
  }
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}

/**
 * Where the package `@opentelemetry/api` keeps what a program has registered, all 1.x releases of it in one place. It is read
 * here so that nothing has to be imported, which would take longer than all of Tenon.
 */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

interface Registered {
  readonly context?: { active(): unknown } | undefined;
  readonly propagation?:
    | { inject(context: unknown, carrier: TraceHeaders, setter: typeof SETTER): void }
    | undefined;
}

/** Such as `traceparent`, `tracestate` and `baggage`. */
export type TraceHeaders = Record<string, string>;

const SETTER = {
  set(carrier: TraceHeaders, name: string, value: string): void {
    carrier[name] = value;
  },
};

/** What tells others of the span that is active here; undefined if there is none. Throws what the program's propagator throws. */
export function activeTraceHeaders(): TraceHeaders | undefined {
  const registered = (globalThis as { [REGISTERED]?: Registered })[REGISTERED];
  if (registered?.context === undefined || registered.propagation === undefined) return undefined;
  const headers: TraceHeaders = {};
  registered.propagation.inject(registered.context.active(), headers, SETTER);
  for (const name in headers) if (typeof headers[name] !== 'string') delete headers[name];
  for (const _ in headers) return headers;
  return undefined;
}

/** The parameters of a request to an MCP server, with the active span in `_meta`: in the names of W3C, without a prefix. */
export function withTraceHeaders<Params extends Record<string, unknown>>(params: Params): Params {
  let headers: TraceHeaders | undefined;
  try {
    headers = activeTraceHeaders();
  } catch {
    // A call does not fail because it cannot be traced.
  }
  if (headers === undefined) return params;
  return { ...params, _meta: { ...(params._meta as object | undefined), ...headers } };
}

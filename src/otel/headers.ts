import { type Context, isSpanContextValid, propagation, trace } from '@opentelemetry/api';
import type { TraceHeaders } from '../protocol/base/trace-context.js';

/** What tells another process of the span of a context: as the registered propagator says it, otherwise as W3C does. */
export function headersOf(context: Context): TraceHeaders | undefined {
  const headers: TraceHeaders = {};
  propagation.inject(context, headers);
  if (propagation.fields().length === 0) injectW3c(context, headers);
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function injectW3c(context: Context, headers: TraceHeaders): void {
  const span = trace.getSpanContext(context);
  if (span === undefined || !isSpanContextValid(span)) return;
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  headers.traceparent = `00-${span.traceId}-${span.spanId}-${flags}`;
  const state = span.traceState?.serialize();
  if (state) headers.tracestate = state;
}

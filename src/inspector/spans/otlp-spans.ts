import type { AgentSpan } from '../../observe/tape-format.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';

/** A span with times in milliseconds since 1970, and the session of the agent that reported it. */
export interface ReportedSpan {
  readonly session: string;
  readonly span: AgentSpan;
}

/** Who the user is, which a recording need not tell. */
const PERSONAL = /^(?:user|organization)\./;
const ERROR_STATUS = 2;

/** The spans of an OTLP/JSON request to `/v1/traces`. What is not well-formed is left out, and counted. */
export function otlpSpans(body: unknown): { spans: ReportedSpan[]; malformed: number } {
  const spans: ReportedSpan[] = [];
  let malformed = 0;
  for (const resource of listIn(body, 'resourceSpans')) {
    const shared = attributesOf(isRecord(resource) && isRecord(resource.resource) ? resource.resource : {});
    for (const scope of listIn(resource, 'scopeSpans')) {
      for (const each of listIn(scope, 'spans')) {
        const span = spanOf(each);
        const session = span?.attributes['session.id'] ?? shared['session.id'];
        if (span === undefined || typeof session !== 'string') malformed += 1;
        else spans.push({ session, span });
      }
    }
  }
  return { spans, malformed };
}

function spanOf(value: unknown): AgentSpan | undefined {
  if (!isRecord(value)) return undefined;
  const { name, traceId, spanId, parentSpanId, status } = value;
  const [start, end] = [millisecondsOf(value.startTimeUnixNano), millisecondsOf(value.endTimeUnixNano)];
  if (typeof name !== 'string' || typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  if (start === undefined || end === undefined) return undefined;
  const hasParent = typeof parentSpanId === 'string' && parentSpanId !== '';
  return {
    name: short(name),
    traceId: short(traceId),
    spanId: short(spanId),
    ...(hasParent ? { parentSpanId: short(parentSpanId) } : {}),
    start,
    end,
    attributes: attributesOf(value),
    ...(isRecord(status) && status.code === ERROR_STATUS
      ? { error: typeof status.message === 'string' ? short(status.message) : 'error' }
      : {}),
  };
}

function attributesOf(value: Record<string, unknown>): AgentSpan['attributes'] {
  const attributes: AgentSpan['attributes'] = {};
  for (const each of listIn(value, 'attributes').slice(0, LIMITS.maxSpanAttributes)) {
    if (!isRecord(each) || typeof each.key !== 'string' || PERSONAL.test(each.key)) continue;
    const plain = plainValue(each.value);
    if (plain !== undefined) attributes[short(each.key)] = plain;
  }
  return attributes;
}

function plainValue(value: unknown): string | number | boolean | undefined {
  if (!isRecord(value)) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (typeof stringValue === 'string') return short(stringValue);
  if (typeof boolValue === 'boolean') return boolValue;
  // 64 bits are a text in JSON.
  const number = intValue ?? doubleValue;
  if (number !== undefined) return Number.isFinite(Number(number)) ? Number(number) : undefined;
  const rest = arrayValue ?? kvlistValue;
  return rest === undefined ? undefined : short(JSON.stringify(rest));
}

/** Exact to the microsecond, which a number of nanoseconds is not. */
function millisecondsOf(nanoseconds: unknown): number | undefined {
  const text = String(nanoseconds);
  if (!/^\d{1,20}$/.test(text)) return undefined;
  return Number(BigInt(text) / 1000n) / 1000;
}

function listIn(value: unknown, name: string): unknown[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
}

function short(text: string): string {
  return text.slice(0, LIMITS.maxSpanTextChars);
}

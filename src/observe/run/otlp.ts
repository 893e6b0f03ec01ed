import type { Run } from './run.js';
import { timelineOf } from './timeline.js';
import { stringOf } from './values.js';
import type { Span, SpanKind } from './views.js';

/** A body for `POST /v1/traces`: an `ExportTraceServiceRequest` of OTLP, in JSON. */
export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: string }
    | { readonly doubleValue: number }
    | { readonly boolValue: boolean };
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

/** The names that `tenon/otel` gives, and for what it has none, our own. */
const OPERATIONS: Readonly<Record<SpanKind, string>> = {
  turn: 'invoke_agent',
  subagent: 'invoke_agent',
  model: 'chat',
  tool: 'execute_tool',
  person: 'ask_person',
  hook: 'run_hook',
  compaction: 'compact',
};

/** The timeline as a trace, without what was said: the tape has that. The same tape always gives the same ids. */
export function otlpOf(run: Run): OtlpTraces {
  const { spans, duration } = timelineOf(run);
  const traceId = digest(run.head.conversation, 4);
  const began = BigInt(Date.parse(run.head.startedAt) || 0) * 1_000_000n;
  const nanos = (t: number): string => String(began + BigInt(Math.round(t * 1e6)));
  const idOf = (id: string): string => digest(`${run.head.conversation} ${id}`, 2);
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf({ 'service.name': 'tenon', 'tenon.back_end': run.head.backEnd }),
        },
        scopeSpans: [
          {
            scope: { name: 'tenon', version: run.head.tenon },
            spans: spans.map((span) => ({
              traceId,
              spanId: idOf(span.id),
              ...(span.parent === undefined ? {} : { parentSpanId: idOf(span.parent) }),
              name: nameOf(span),
              kind: span.kind === 'model' ? CLIENT : INTERNAL,
              startTimeUnixNano: nanos(span.start),
              endTimeUnixNano: nanos(span.end ?? duration),
              attributes: attributesOf(factsOf(run, span)),
              status: statusOf(span),
            })),
          },
        ],
      },
    ],
  };
}

function nameOf({ kind, name }: Span): string {
  return kind === 'turn' ? OPERATIONS.turn : `${OPERATIONS[kind]} ${name}`;
}

function statusOf({ status, facts }: Span): OtlpSpan['status'] {
  if (status === 'ok') return { code: OK };
  const message = status === 'error' ? stringOf(facts.error) : 'it had not ended when the run ended';
  return { code: ERROR, ...(message === undefined ? {} : { message }) };
}

function factsOf(run: Run, { id, kind, name, facts }: Span): Record<string, unknown> {
  const common = { 'gen_ai.operation.name': OPERATIONS[kind], 'gen_ai.conversation.id': sessionOf(run) };
  if (kind === 'tool') {
    return { ...common, 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id.slice('tool:'.length) };
  }
  if (kind === 'subagent') return { ...common, 'gen_ai.agent.name': name };
  if (kind !== 'model') return { ...common, 'tenon.decision': facts.decision };
  return {
    ...common,
    'gen_ai.request.model': name,
    'gen_ai.response.id': facts.messageId,
    'gen_ai.usage.input_tokens': facts.inputTokens,
    'gen_ai.usage.output_tokens': facts.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': facts.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': facts.cacheWriteTokens,
    'tenon.attempts': facts.attempts,
  };
}

function sessionOf(run: Run): string | undefined {
  return stringOf(run.inits.at(0)?.fields.session_id);
}

function attributesOf(values: Readonly<Record<string, unknown>>): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]): OtlpAttribute[] => {
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    if (typeof value !== 'number') return [];
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
}

/** FNV-1a, begun differently for each four bytes: enough to tell the spans of a run apart, and never zero. */
function digest(text: string, words: number): string {
  let hex = '';
  for (let word = 1; word <= words; word += 1) {
    let hash = 0x811c9dc5 ^ (word * 0x9e3779b1);
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hex += (hash >>> 0 || word).toString(16).padStart(8, '0');
  }
  return hex;
}

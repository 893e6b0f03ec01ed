import { type Context, context, metrics, SpanKind, trace } from '@opentelemetry/api';
import type { AgentTracer } from '../options/tracer.js';
import { hostEnvironment } from '../protocol/base/host-process.js';
import { ConversationSpans } from './conversation-spans.js';
import { Metrics } from './metrics.js';
import { ATTRIBUTE, providerName, SCOPE } from './names.js';
import { SpanClock } from './operation.js';
import { checkOptions, contentOf, type OtelOptions } from './options.js';
import { TraceSetting } from './setting.js';

export {
  type HostMetricsOptions,
  hostMetrics,
  type MeasuredHost,
  type MeasuredStats,
} from './host-metrics.js';
export type { OtelContent, OtelOptions } from './options.js';

/**
 * Spans and metrics of OpenTelemetry, by its conventions for GenAI and MCP: `options: { tracer: otel() }`. One value serves
 * any number of queries.
 */
export function otel(options: OtelOptions = {}): AgentTracer {
  checkOptions(options);
  const content = contentOf(options.content);
  // Where a message of a session was given; it is sent from elsewhere.
  const contexts = new WeakMap<object, Context>();
  let instruments: Metrics | undefined;
  return {
    given: (message) => void contexts.set(message, context.active()),
    begin: ({ options: given, isPrompted, hide, report }) => {
      instruments ??= new Metrics((options.meterProvider ?? metrics).getMeter(SCOPE));
      const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE);
      const setting = new TraceSetting({
        tracer,
        metrics: instruments,
        content,
        time: new SpanClock(),
        report,
        hide,
      });
      const isHere = given.runtime !== undefined;
      if (!isHere) setting.learn({ [ATTRIBUTE.provider]: providerOf(given.env) });
      const facts = {
        agentName: options.agentName ?? given.agent,
        model: given.model,
        kind: isHere ? SpanKind.INTERNAL : SpanKind.CLIENT,
      };
      return new ConversationSpans(setting, facts, isPrompted, (message) => contexts.get(message));
    },
  };
}

/** Whose models the CLI uses. */
function providerOf(env: Record<string, string | undefined> = hostEnvironment()): string {
  const isOn = (name: string): boolean => /^(?:1|true|yes|on)$/i.test(env[name] ?? '');
  if (isOn('CLAUDE_CODE_USE_BEDROCK')) return providerName('amazon-bedrock');
  return providerName(isOn('CLAUDE_CODE_USE_VERTEX') ? 'google-vertex' : 'anthropic');
}

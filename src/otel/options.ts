import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';

/** Which content goes into spans. */
export interface OtelContent {
  /** What people and models say: prompts, answers, system prompts. */
  messages?: boolean | undefined;
  /** What tools are given and what they return. */
  tools?: boolean | undefined;
}

export interface OtelOptions {
  /** Default: the one that is registered with `@opentelemetry/api` when a conversation begins. */
  tracerProvider?: TracerProvider | undefined;
  /** Default: the one that is registered. */
  meterProvider?: MeterProvider | undefined;
  /** Whether spans carry what was said, and what tools got and returned. Default: false, nothing of it. */
  content?: boolean | OtelContent | undefined;
  /** The name of the agent, in spans and metrics. Default: `options.agent` of the query. */
  agentName?: string | undefined;
}

const NAMES = ['agentName', 'content', 'meterProvider', 'tracerProvider'];
const CONTENT = ['messages', 'tools'];

export function checkOptions(options: unknown): asserts options is OtelOptions {
  if (!isRecord(options)) throw wrong('options', options, 'an object, or nothing');
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw unknown(name, options[name]);
  }
  const { agentName, content, meterProvider, tracerProvider } = options;
  if (tracerProvider != null && !has(tracerProvider, 'getTracer'))
    throw wrong('tracerProvider', tracerProvider, 'a TracerProvider of OpenTelemetry');
  if (meterProvider != null && !has(meterProvider, 'getMeter'))
    throw wrong('meterProvider', meterProvider, 'a MeterProvider of OpenTelemetry');
  if (agentName != null && (typeof agentName !== 'string' || agentName === ''))
    throw wrong('agentName', agentName, 'a string that is not empty');
  if (content != null && !isContent(content))
    throw wrong('content', content, 'true, false or { messages?: boolean, tools?: boolean }');
}

export function contentOf(content: OtelOptions['content']): Required<OtelContent> {
  if (typeof content !== 'object') return { messages: content === true, tools: content === true };
  return { messages: content?.messages === true, tools: content?.tools === true };
}

function isContent(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, on]) => CONTENT.includes(name) && (on === undefined || typeof on === 'boolean'),
  );
}

function has(value: unknown, method: string): boolean {
  return isRecord(value) && typeof value[method] === 'function';
}

function wrong(name: string, value: unknown, expected: string): OptionError {
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new OptionError(name, value, `otel(): \`${name}\` must be ${expected}; it is ${given}.`);
}

function unknown(name: string, value: unknown): OptionError {
  return new OptionError(name, value, `otel() has no option \`${name}\`. It has: ${NAMES.join(', ')}.`);
}

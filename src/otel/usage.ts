import type { Attributes } from '@opentelemetry/api';
import { isRecord } from '../protocol/base/kinds.js';
import { ATTRIBUTE, ERROR, OWN_ATTRIBUTE } from './names.js';

export interface Tokens {
  /** All that the model read, from a cache or not, as the conventions count. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Of the Messages API. */
export function tokensOf(usage: unknown): Tokens {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = isRecord(
    usage,
  )
    ? usage
    : {};
  const [cacheRead, cacheWrite] = [count(cache_read_input_tokens), count(cache_creation_input_tokens)];
  return {
    input: count(input_tokens) + cacheRead + cacheWrite,
    output: count(output_tokens),
    cacheRead,
    cacheWrite,
  };
}

export function usageAttributes({ input, output, cacheRead, cacheWrite }: Tokens): Attributes {
  return {
    [ATTRIBUTE.usageInput]: input,
    [ATTRIBUTE.usageOutput]: output,
    [ATTRIBUTE.usageCacheRead]: cacheRead,
    [ATTRIBUTE.usageCacheWrite]: cacheWrite,
  };
}

/** Results count from the beginning of the conversation; a turn has used the difference. */
export class TurnUsage {
  #cost = 0;
  #models: Record<string, Tokens> = {};

  take(result: Readonly<Record<string, unknown>>): {
    costUsd: number | undefined;
    models: Record<string, Tokens>;
  } {
    const { total_cost_usd: cost, modelUsage } = result;
    const costUsd = typeof cost === 'number' ? Math.max(0, cost - this.#cost) : undefined;
    if (typeof cost === 'number') this.#cost = cost;
    const models: Record<string, Tokens> = {};
    for (const [model, usage] of Object.entries(isRecord(modelUsage) ? modelUsage : {})) {
      const now = tokensOfModel(usage);
      models[model] = difference(now, this.#models[model]);
      this.#models[model] = now;
    }
    return { costUsd, models };
  }
}

/** What the result of a turn says about it. */
export function resultAttributes(
  result: Readonly<Record<string, unknown>>,
  { costUsd, models }: ReturnType<TurnUsage['take']>,
): Attributes {
  const used = Object.values(models);
  const total = used.length === 0 ? tokensOf(result.usage) : used.reduce(sum);
  return {
    ...usageAttributes(total),
    ...(costUsd === undefined ? {} : { [OWN_ATTRIBUTE.costUsd]: costUsd }),
    ...(typeof result.num_turns === 'number' ? { [OWN_ATTRIBUTE.modelRequests]: result.num_turns } : {}),
    ...(typeof result.stop_reason === 'string' ? { [ATTRIBUTE.finishReasons]: [result.stop_reason] } : {}),
  };
}

/** Undefined if the turn went well. */
export function errorOfResult(result: Readonly<Record<string, unknown>>): string | undefined {
  const { is_error, subtype, terminal_reason: reason, api_error_status: status } = result;
  if (typeof reason === 'string' && reason.startsWith('aborted')) return ERROR.cancelled;
  if (typeof subtype === 'string' && subtype !== 'success') return subtype;
  if (is_error !== true) return undefined;
  if (typeof status === 'number') return String(status);
  return typeof reason === 'string' ? reason : ERROR.other;
}

function tokensOfModel(usage: unknown): Tokens {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = isRecord(usage)
    ? usage
    : {};
  return tokensOf({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cache_creation_input_tokens: cacheCreationInputTokens,
  });
}

const NONE: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function difference(now: Tokens, before: Tokens = NONE): Tokens {
  return {
    input: Math.max(0, now.input - before.input),
    output: Math.max(0, now.output - before.output),
    cacheRead: Math.max(0, now.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
  };
}

function sum(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

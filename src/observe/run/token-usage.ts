import { isRecord } from '../../protocol/base/kinds.js';
import { numberOf } from './values.js';
import type { TokenUsage } from './views.js';

export const NO_TOKENS: TokenUsage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

/** `usage` of the Messages API; undefined if it says nothing. */
export function usageOf(value: unknown): TokenUsage | undefined {
  if (!isRecord(value)) return undefined;
  return {
    input: numberOf(value.input_tokens) ?? 0,
    output: numberOf(value.output_tokens) ?? 0,
    cacheRead: numberOf(value.cache_read_input_tokens) ?? 0,
    cacheWrite: numberOf(value.cache_creation_input_tokens) ?? 0,
  };
}

/** An entry of `modelUsage`. */
export function modelUsageOf(value: Readonly<Record<string, unknown>>): TokenUsage {
  return {
    input: numberOf(value.inputTokens) ?? 0,
    output: numberOf(value.outputTokens) ?? 0,
    cacheRead: numberOf(value.cacheReadInputTokens) ?? 0,
    cacheWrite: numberOf(value.cacheCreationInputTokens) ?? 0,
  };
}

export function addUsage(
  left: TokenUsage | undefined,
  right: TokenUsage | undefined,
  join: (left: number, right: number) => number = (one, other) => one + other,
): TokenUsage | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    input: join(left.input, right.input),
    output: join(left.output, right.output),
    cacheRead: join(left.cacheRead, right.cacheRead),
    cacheWrite: join(left.cacheWrite, right.cacheWrite),
  };
}

/** All that went in, from a cache or not. */
export function inputTokens({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

import type { TokenCounts } from '../../runtime/model.js';
import type { JsonObject, ProviderMetadata } from './specification.js';

/** V3 and V4 split the counts; V2 has one number of input tokens, of which providers mean different things. */
export function countsOf(
  usage: JsonObject | undefined,
  metadata: ProviderMetadata | undefined,
  countsCacheApart: boolean,
): TokenCounts {
  const { inputTokens: input, outputTokens: output, cachedInputTokens } = usage ?? {};
  if (typeof input === 'object' && input !== null)
    return splitCounts(input as JsonObject, output as JsonObject);
  const read = numberOf(cachedInputTokens);
  const written = numberOf(
    metadata?.anthropic?.cacheCreationInputTokens ??
      (metadata?.bedrock?.usage as JsonObject | undefined)?.cacheWriteInputTokens,
  );
  const total = numberOf(input);
  return {
    input_tokens: countsCacheApart ? total : Math.max(0, total - read),
    output_tokens: numberOf(output),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

function splitCounts(input: JsonObject, output: JsonObject | undefined): TokenCounts {
  const read = numberOf(input.cacheRead);
  const written = numberOf(input.cacheWrite);
  return {
    input_tokens:
      typeof input.noCache === 'number' ? input.noCache : Math.max(0, numberOf(input.total) - read - written),
    output_tokens: numberOf(output?.total),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

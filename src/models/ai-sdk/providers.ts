import type { ModelRequest } from '../../runtime/model.js';
import type { JsonObject, ProviderMetadata } from './specification.js';

/**
 * What providers of the AI SDK do differently, by the first part of their name. A provider that is not listed gets
 * nothing but the specification: a server that is merely compatible rejects what it does not know.
 */
export interface ProviderTraits {
  /** The name under which it reads its options. */
  key: string;
  /** Options that mark the end of a prefix to be cached. */
  cacheMark?(ttl: '5m' | '1h' | undefined): JsonObject;
  /** The first specification whose package passes on that something is to be cached for an hour. */
  longCacheSince?: string;
  /** Takes a key that keeps requests of one conversation on one cache. */
  hasCacheKey?: boolean;
  /** Images in tool results arrive as images. Otherwise they follow in a message of the user's. */
  hasToolImages?: boolean;
  /** Before V3: whether the count of input tokens leaves out those read from the cache. */
  countsCacheApart?: boolean;
  /** Options for thinking, before V4. Undefined: it cannot be asked for. */
  thinking?(request: ModelRequest): JsonObject | undefined;
  /** Takes beta features as a header. */
  betaHeader?: string;
}

const ANTHROPIC: ProviderTraits = {
  key: 'anthropic',
  cacheMark: (ttl) => ({ cacheControl: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } }),
  hasToolImages: true,
  countsCacheApart: true,
  betaHeader: 'anthropic-beta',
  thinking: ({ thinking, output_config: output }) => {
    if (thinking === undefined && output === undefined) return {};
    const budget = thinking?.type === 'enabled' ? { budgetTokens: thinking.budget_tokens } : {};
    return {
      ...(thinking === undefined ? {} : { thinking: { type: thinking.type, ...budget } }),
      ...(output === undefined ? {} : { effort: output.effort }),
    };
  },
};

const BEDROCK: ProviderTraits = {
  key: 'bedrock',
  cacheMark: (ttl) => ({ cachePoint: { type: 'default', ...(ttl === '1h' ? { ttl } : {}) } }),
  longCacheSince: 'v3',
  hasToolImages: true,
  countsCacheApart: true,
  thinking: ({ thinking }) =>
    thinking?.type === 'enabled'
      ? { reasoningConfig: { type: 'enabled', budgetTokens: thinking.budget_tokens } }
      : {},
};

const GOOGLE: ProviderTraits = {
  key: 'google',
  hasToolImages: true,
  thinking: ({ thinking }) => {
    if (thinking?.type === 'disabled') return { thinkingConfig: { thinkingBudget: 0 } };
    if (thinking?.type !== 'enabled') return {};
    return { thinkingConfig: { thinkingBudget: thinking.budget_tokens, includeThoughts: true } };
  },
};

const openAi = (key: string, hasToolImages: boolean): ProviderTraits => ({
  key,
  hasCacheKey: true,
  hasToolImages,
  thinking: ({ output_config: output }) => (output === undefined ? {} : { reasoningEffort: output.effort }),
});

/** Bedrock refuses marks for models that cannot cache. */
const CACHES_ON_BEDROCK = /claude|nova/i;

export function traitsOf({ provider, modelId }: { provider: string; modelId: string }): ProviderTraits {
  const [family = provider, api] = provider.split('.');
  if (family === 'anthropic') return ANTHROPIC;
  if (family === 'vertex' && api === 'anthropic') return ANTHROPIC;
  if (family === 'amazon-bedrock') {
    const { cacheMark, ...others } = BEDROCK;
    return CACHES_ON_BEDROCK.test(modelId) ? BEDROCK : others;
  }
  if (family === 'google') return api === 'vertex' ? { ...GOOGLE, key: 'vertex' } : GOOGLE;
  if (family === 'openai' || family === 'azure')
    return openAi(family === 'azure' ? 'azure' : 'openai', api === 'responses');
  return { key: family };
}

/** Options of several sources; later ones win, key by key within a provider. */
export function mergedOptions(...all: (ProviderMetadata | undefined)[]): ProviderMetadata | undefined {
  const merged: ProviderMetadata = {};
  for (const options of all) {
    for (const [key, values] of Object.entries(options ?? {})) merged[key] = { ...merged[key], ...values };
  }
  for (const [key, values] of Object.entries(merged))
    if (Object.keys(values).length === 0) delete merged[key];
  return Object.keys(merged).length === 0 ? undefined : merged;
}

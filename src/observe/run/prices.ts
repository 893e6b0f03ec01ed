import type { ModelCall } from './model-calls.js';
import type { Run } from './run.js';
import { modelUsageOf } from './token-usage.js';
import { fieldsOf, numberOf } from './values.js';
import type { CostReport, TokenUsage } from './views.js';

/** `modelUsage` grows from result to result. */
export function modelCostsOf(run: Run): CostReport['models'] {
  const { modelUsage } = fieldsOf(run.results.at(-1)?.fields);
  return Object.entries(fieldsOf(modelUsage)).map(([model, value]) => {
    const fields = fieldsOf(value);
    const usage = modelUsageOf(fields);
    const isKnown = fields.costBasis !== 'unknown';
    return { model, usage, costUsd: isKnown ? knownCost(numberOf(fields.costUSD), usage) : undefined };
  });
}

/** Tokens at no cost mean that the price of the model is unknown. */
export function knownCost(dollars: number | undefined, usage: TokenUsage): number | undefined {
  const { input, output, cacheRead, cacheWrite } = usage;
  return dollars === 0 && input + output + cacheRead + cacheWrite > 0 ? undefined : dollars;
}

/**
 * What one request cost. Results tell the costs of a model, not its prices: only if they are those of a single request,
 * it is known what that was.
 */
export function priceOf(run: Run): (call: ModelCall) => number | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { model } of run.models.all) counts.set(model, (counts.get(model) ?? 0) + 1);
  const costs = new Map(modelCostsOf(run).map(({ model, costUsd }) => [model, costUsd]));
  return ({ model, usage }) =>
    model === undefined || usage === undefined || counts.get(model) !== 1 ? undefined : costs.get(model);
}

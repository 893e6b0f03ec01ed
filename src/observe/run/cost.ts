import { requestsOf } from './context.js';
import { knownCost, modelCostsOf } from './prices.js';
import type { Run } from './run.js';
import { addUsage, NO_TOKENS } from './token-usage.js';
import { jsonOf, numberOf, textOf } from './values.js';
import type { CostReport, TokenUsage } from './views.js';

/** What a run cost. A price that is not known is undefined, never zero. */
export function costOf(run: Run): CostReport {
  return run.view(makeCost);
}

function makeCost(run: Run): CostReport {
  const requests = requestsOf(run);
  const models = modelCostsOf(run);
  const counted = models.length > 0 ? models.map(({ usage }) => usage) : requests.map(({ usage }) => usage);
  const total = counted.reduce<TokenUsage>((sum, usage) => addUsage(sum, usage) ?? sum, NO_TOKENS);
  const reported = numberOf(run.results.at(-1)?.fields.total_cost_usd);
  return {
    requests,
    total,
    reportedUsd: knownCost(reported, total),
    models,
    tools: toolsOf(run),
  };
}

function toolsOf(run: Run): CostReport['tools'] {
  const tools = new Map<string, { calls: number; resultChars: number; ms: number }>();
  for (const { name, input, content, handler, t, end } of run.tools.all) {
    const row = tools.get(name) ?? { calls: 0, resultChars: 0, ms: 0 };
    row.calls += 1;
    row.resultChars += jsonOf(input).length + textOf(content).length;
    row.ms += (handler?.end ?? end ?? run.duration) - (handler?.t ?? t);
    tools.set(name, row);
  }
  return [...tools]
    .map(([tool, row]) => ({ tool, ...row }))
    .sort((left, right) => right.resultChars - left.resultChars);
}

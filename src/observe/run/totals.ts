import type { Run } from './run.js';
import { addUsage, inputTokens, NO_TOKENS, usageOf } from './token-usage.js';
import { numberOf } from './values.js';
import type { RunTotals, TokenUsage } from './views.js';

/** The numbers of a run, as the results of its turns say them; what has no result yet is added up. */
export function totalsOf(run: Run): RunTotals {
  return run.view(makeTotals);
}

function makeTotals(run: Run): RunTotals {
  const answers = run.models.all.filter(
    ({ messageId, error }) => messageId !== undefined && error === undefined,
  );
  const own = answers.filter(({ parent }) => parent === undefined);
  const reported = new Map(run.turns.all.map(({ id, result }) => [id, usageOf(result?.usage)]));
  const unreported = own
    .filter(({ turn = '' }) => reported.get(turn) === undefined)
    .map((call) => call.usage);
  const usage = [...reported.values(), ...unreported].reduce<TokenUsage>(
    (sum, each) => addUsage(sum, each) ?? sum,
    NO_TOKENS,
  );
  const durationMs = run.turns.all.reduce(
    (sum, { result, start, end }) => sum + (numberOf(result?.duration_ms) ?? (end ?? run.duration) - start),
    0,
  );
  return {
    durationMs: run.turns.all.length === 0 ? run.duration : durationMs,
    turns: own.length,
    requests: run.models.all.length,
    calls: run.tools.all.length,
    usage,
    costUsd: costUsdOf(run, inputTokens(usage)),
    frames: run.frames.length,
  };
}

/** Tokens at no cost mean that the price of the model is unknown. */
function costUsdOf(run: Run, tokens: number): number | undefined {
  const reported = numberOf(run.results.at(-1)?.fields.total_cost_usd);
  return reported === 0 && tokens > 0 ? undefined : reported;
}

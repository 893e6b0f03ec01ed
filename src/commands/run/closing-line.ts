import { isSuccess, type ResultFailureKind, type SDKResultMessage } from '../../index.js';
import { hanging } from '../terminal/harmless.js';
import { timeText } from './tool-text.js';

const REMEDIES: Partial<Record<ResultFailureKind, string>> = {
  authentication: 'Set ANTHROPIC_API_KEY, or log in: claude /login',
  billing: 'Check the balance of the account.',
  model_not_found: 'Choose another model with --model.',
  max_turns: 'Raise the limit with --max-turns.',
  rate_limit: 'Try again later.',
  overloaded: 'Try again later.',
};

/**
 * What went wrong and how to fix it; nothing for a success, or for an interruption, which the person knows
 * about.
 */
export function failureLines(result: SDKResultMessage): string[] {
  if (isSuccess(result) || result.failure?.kind === 'interrupted') return [];
  const { kind = 'unknown', message = result.subtype } = result.failure ?? {};
  const remedy = REMEDIES[kind];
  return [`✗ ${hanging(message)}`, ...(remedy === undefined ? [] : [`  ${remedy}`])];
}

/**
 * `2 turns · 3.4 s · 1,234 tokens in, 56 out · $0.0123`. `turns` are the model's answers, as for
 * `--max-turns`; `num_turns` of the result counts results of tools too.
 */
export function closingLine(result: SDKResultMessage, turns: number): string {
  const { usage = {} as Partial<SDKResultMessage['usage']> } = result;
  const input =
    (usage.input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0);
  const parts = [
    ...(result.failure?.kind === 'interrupted' ? ['interrupted'] : []),
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    timeText(result.duration_ms ?? 0),
    `${count(input)} tokens in, ${count(usage.output_tokens ?? 0)} out`,
    costText(result.total_cost_usd ?? 0, input),
  ];
  return parts.join(' · ');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** Tokens at no cost mean that the price of the model is unknown. */
function costText(dollars: number, tokens: number): string {
  if (dollars === 0 && tokens > 0) return 'cost unknown';
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : 2)}`;
}

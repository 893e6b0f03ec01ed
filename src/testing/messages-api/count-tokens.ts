import type { MessagesRequestBody } from '../script/request.js';

/**
 * Estimates tokens at four characters each, over all text of the system prompt, the messages and the tools.
 * The CLI asks for a count to decide whether to show a large tool result to the model.
 */
export function estimateTokens(body: MessagesRequestBody): number {
  return Math.ceil(characters([body.system, body.messages, body.tools]) / 4);
}

/** Keys whose values are keywords of the format, not text. */
const keywords = new Set(['type', 'role']);

function characters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let total = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (!keywords.has(key)) total += characters(inner);
  }
  return total;
}

// @ts-check
import { modelFromFunction } from 'tenon/runtime';

/** In place of a model while there is no key: asks the tool for hammers, and repeats what it answered. */
export const rehearsal = modelFromFunction(({ messages }) => {
  const answer = toolAnswer(messages.at(-1)?.content);
  if (answer !== undefined) return `The tool says: ${answer}.`;
  return { text: 'Let me look.', toolCalls: [{ name: 'mcp__shop__stock', input: { product: 'hammer' } }] };
});

/** @param {unknown} content of a message */
function toolAnswer(content) {
  if (!Array.isArray(content)) return undefined;
  const result = content.find(({ type }) => type === 'tool_result');
  return result?.content.map((/** @type {{ text?: string }} */ { text }) => text).join('');
}

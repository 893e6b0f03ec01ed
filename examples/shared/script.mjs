// What a model would do with an example's question, written once and played to either back end: to the embedded runtime
// as a scripted model, to the Claude Code CLI as a scripted Messages API.

import { scriptedMessagesApi, scriptedModel, text, toolUses } from 'tenon/testing';

/**
 * @typedef {{ tool: string, input?: Record<string, unknown> }} Call
 * @typedef {{ text: string, isError: boolean }} CallResult
 * @typedef {object} Turn
 * @property {number} index how many times the model has answered before
 * @property {string} question
 * @property {readonly CallResult[]} results what the calls of the model's last answer came to, in their order
 * @property {readonly CallResult[]} all what all calls of the conversation came to
 */

/**
 * The words or the calls with which the model answers.
 *
 * @typedef {(turn: Turn) => string | readonly Call[]} ExampleScript
 */

/**
 * @param {ExampleScript} script
 * @param {string} question
 */
export function scriptAsModel(script, question) {
  return scriptedModel((request, index) => {
    const answer = script({ index, question, ...resultsIn(request.messages) });
    return typeof answer === 'string' ? answer : { toolUses: [...answer] };
  });
}

/**
 * @param {ExampleScript} script
 * @param {string} question
 */
export function scriptAsMessagesApi(script, question) {
  return scriptedMessagesApi((request, index) => {
    const answer = script({ index, question, ...resultsIn(request.body.messages) });
    return typeof answer === 'string'
      ? text(answer)
      : toolUses(answer.map(({ tool, input = {} }) => ({ name: tool, input })));
  });
}

/**
 * In the order of the calls: an agent may report the results in another.
 *
 * @param {readonly { readonly role: string, readonly content: unknown }[]} messages
 * @returns {{ results: CallResult[], all: CallResult[] }}
 */
function resultsIn(messages) {
  const reported = messages.flatMap(({ content }) => blocksOf(content, 'tool_result'));
  const answers = messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) =>
      blocksOf(content, 'tool_use').map(({ id }) => {
        const result = reported.find(({ tool_use_id }) => tool_use_id === id);
        return { text: textOf(result?.content), isError: result?.is_error === true };
      }),
    );
  return { results: answers.at(-1) ?? [], all: answers.flat() };
}

/**
 * @param {unknown} content
 * @param {string} type
 */
function blocksOf(content, type) {
  return Array.isArray(content) ? content.filter((block) => block.type === type) : [];
}

/**
 * The words of a tool's result.
 *
 * @param {unknown} content
 * @returns {string}
 */
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

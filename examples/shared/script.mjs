// What a model would do with an example's question, written once and played to either back end: to the
// embedded runtime as a scripted model, to the Claude Code CLI as a scripted Messages API.

import { randomUUID } from 'node:crypto';
import { scriptedMessagesApi, scriptedModel, toolUses } from 'tenon/testing';

/**
 * @typedef {import('tenon/testing').ScriptedCall} Call
 * @typedef {{ text: string, isError: boolean }} CallResult
 * @typedef {object} Turn
 * @property {number} index how many times the model has answered before
 * @property {string} question
 * @property {readonly CallResult[]} results the results of the calls in the model's last answer, in order
 * @property {readonly CallResult[]} all the results of all calls in the conversation
 */

/**
 * The text or the calls with which the model answers.
 *
 * @typedef {(turn: Turn) => string | readonly Call[]} ExampleScript
 */

/**
 * @param {ExampleScript} script
 * @param {string} question
 */
export function scriptAsModel(script, question) {
  return scriptedModel(answering(script, question));
}

/**
 * @param {ExampleScript} script
 * @param {string} question
 */
export function scriptAsMessagesApi(script, question) {
  return scriptedMessagesApi(answering(script, question));
}

/**
 * @param {ExampleScript} script
 * @param {string} question
 * @returns {(request: import('tenon/testing').ScriptedRequest, index: number) => import('tenon/testing').ScriptStep}
 */
function answering(script, question) {
  return ({ messages }, index) => {
    const answer = script({ index, question, ...resultsIn(messages) });
    if (typeof answer === 'string') return answer;
    // Ids of their own: numbers would begin again when the program does, in the middle of a conversation.
    return toolUses(answer.map((call) => ({ id: `toolu_${randomUUID()}`, ...call })));
  };
}

/**
 * In the order of the calls: an agent may report the results in another order.
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
 * The text of a tool's result.
 *
 * @param {unknown} content
 * @returns {string}
 */
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

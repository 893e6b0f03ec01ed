// @ts-check
/** Two answers as bytes, a call of the tool and a text, in the forms of two vendors; each in so many deltas. */
import { events, INPUT, pieces } from './runtime.mjs';

/**
 * @typedef {object} Answers
 * @property {string} call
 * @property {string} text
 */

/** @param {string} model @param {number} deltas @returns {Answers} */
export function messagesAnswers(model, deltas) {
  const written = (/** @type {number} */ calls) =>
    [...events(calls, 1, deltas)]
      .map((event) =>
        event.type === 'message_start' ? { ...event, message: { ...event.message, model } } : event,
      )
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
  return { call: written(1), text: written(0) };
}

/** @param {number} deltas @returns {Answers} */
export function completionsAnswers(deltas) {
  const called = pieces(INPUT, deltas).map((piece, index) => {
    const begin = index === 0 ? { id: 'call_1', type: 'function' } : {};
    const name = index === 0 ? { name: 'mcp__bench__echo' } : {};
    return { tool_calls: [{ index: 0, ...begin, function: { ...name, arguments: piece } }] };
  });
  const said = Array.from({ length: deltas }, () => ({ content: 'done' }));
  return { call: completion(called, 'tool_calls'), text: completion(said, 'stop') };
}

/** @param {object[]} deltas @param {string} reason */
function completion(deltas, reason) {
  const shared = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'bench-model' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const chunks = [
    ...[{ role: 'assistant', content: '' }, ...deltas].map((delta) => ({
      ...shared,
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    { ...shared, choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { ...shared, choices: [], usage },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

/**
 * Answers every request from memory: with the text if the last message is a result, otherwise with the call.
 *
 * @param {Answers} answers
 * @returns {(url: unknown, init?: { body?: unknown }) => Promise<Response>}
 */
export function fetchFromMemory({ call, text }) {
  return async (_url, init) => {
    const last = JSON.parse(String(init?.body)).messages.at(-1);
    const isAnswered =
      last.role === 'tool' ||
      (Array.isArray(last.content) &&
        last.content.some((/** @type {{ type: string }} */ { type }) => type === 'tool_result'));
    return new Response(isAnswered ? text : call, { headers: { 'content-type': 'text/event-stream' } });
  };
}

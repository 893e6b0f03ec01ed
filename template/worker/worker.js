// @ts-check
import { query } from 'tenon';
import { anthropic } from 'tenon/model/anthropic';
import { embedded } from 'tenon/runtime';
import { rehearsal } from './rehearsal.js';
import { shop } from './tools.js';

/** @typedef {{ ANTHROPIC_API_KEY?: string | null }} Env */

export default {
  /**
   * A question comes as the body of a POST; every message of the agent goes back as it comes.
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
    if (request.method !== 'POST') {
      return new Response('POST a question.\n', { status: 405, headers: { allow: 'POST' } });
    }
    const apiKey = env.ANTHROPIC_API_KEY;
    const model = apiKey ? anthropic({ apiKey }) : rehearsal;
    const abortController = new AbortController();
    const agent = query({
      prompt: await request.text(),
      options: {
        runtime: embedded({ model }),
        mcpServers: { shop },
        allowedTools: ['mcp__shop__*'],
        abortController,
      },
    });
    return new Response(
      serverSentEvents(agent, () => abortController.abort()),
      { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } },
    );
  },
};

/**
 * @param {AsyncIterable<object>} messages
 * @param {() => void} abort called when the reader has left: nobody pays for an answer that nobody reads
 */
function serverSentEvents(messages, abort) {
  const encoder = new TextEncoder();
  const event = (/** @type {string} */ name, /** @type {object} */ data) =>
    encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const reading = messages[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reading.next();
        if (done) controller.close();
        else controller.enqueue(event('message', value));
      } catch (error) {
        console.error(error);
        controller.enqueue(event('error', { message: 'The agent failed.' }));
        controller.close();
      }
    },
    cancel: abort,
  });
}

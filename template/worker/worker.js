// @ts-check
import { query } from 'tenon';
import { anthropic } from 'tenon/model/anthropic';
import { embedded } from 'tenon/runtime';
import { serverSentEvents } from './events.js';
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

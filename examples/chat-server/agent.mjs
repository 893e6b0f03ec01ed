// What the agents of the conversations work with: the runtime in this process or the Claude Code CLI, a scripted model or a
// real one.

import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropic } from 'tenon/model/anthropic';
import { embedded } from 'tenon/runtime';
import { scriptedMessagesApi, scriptedModel } from 'tenon/testing';
import { memoryWorkspace } from 'tenon/workspace';
import { rehearse } from './rehearsal.mjs';
import { HARMLESS, shopServer } from './tools.mjs';

const SYSTEM_PROMPT =
  'You serve the customers of a small hardware shop, in a chat. Be brief and friendly. Look products up before you speak of them. ' +
  'Order only what the customer wants; a person is asked before each order. Ask with AskUserQuestion if a choice is the customer’s.';

/**
 * @typedef {object} Agents
 * @property {(ref: import('tenon/host').SessionRef) => import('tenon').Options} options of one conversation
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ cli: boolean, live: boolean, paceMs: number, orders: import('./orders.mjs').Orders }} choice
 * @returns {Promise<Agents>}
 */
export async function openAgents({ cli, live, paceMs, orders }) {
  const backend = cli ? await openCli(live, paceMs) : openEmbedded(live, paceMs);
  return {
    options: ({ tenant }) => ({
      ...backend.options,
      systemPrompt: SYSTEM_PROMPT,
      mcpServers: { shop: shopServer(orders, tenant) },
      tools: ['AskUserQuestion'],
      allowedTools: HARMLESS,
    }),
    close: backend.close,
  };
}

/**
 * @param {boolean} live
 * @param {number} paceMs
 */
function openEmbedded(live, paceMs) {
  const model = live ? anthropic() : rehearsalModel(paceMs);
  // Without files, but a workspace also brings the tool that asks the user.
  const runtime = embedded({ model, workspace: memoryWorkspace() });
  return { options: { runtime }, close: async () => {} };
}

/**
 * @param {number} paceMs
 * @returns {import('tenon/runtime').Model}
 */
function rehearsalModel(paceMs) {
  return {
    name: 'rehearsal',
    async *stream(request, context) {
      // A script of its own for each answer, so that nothing is left of it afterwards.
      const model = scriptedModel((asked) => rehearse(asked, { paceMs }));
      for await (const event of model.stream(request, context)) {
        if (event.type !== 'message_start') yield event;
        else yield { ...event, message: { ...event.message, id: `msg_${randomUUID()}` } };
      }
    },
  };
}

/**
 * @param {boolean} live
 * @param {number} paceMs
 */
async function openCli(live, paceMs) {
  const own = { settingSources: [], strictMcpConfig: true };
  if (live) return { options: own, close: async () => {} };
  const api = await scriptedMessagesApi((asked) => rehearse(asked, { paceMs }));
  // Isolated from the person's own settings, conversations and login.
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tenon-chat-')));
  const env = { ...process.env, ...api.env(), CLAUDE_CONFIG_DIR: home, HOME: home };
  return {
    options: { ...own, env, cwd: home },
    close: async () => {
      await api.close();
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

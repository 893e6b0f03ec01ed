// Runs an example's question on one of the two back ends: the runtime in this process, or the Claude Code
// CLI.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'tenon';
import { anthropic } from 'tenon/model/anthropic';
import { embedded } from 'tenon/runtime';
import { scriptAsMessagesApi, scriptAsModel } from './script.mjs';

/**
 * @typedef {import('tenon').Options} Options
 * @typedef {import('tenon').SDKMessage} SDKMessage
 * @typedef {import('tenon').SDKResultMessage} SDKResultMessage
 * @typedef {import('./script.mjs').ExampleScript} ExampleScript
 */

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {string} question the default question
 * @property {ExampleScript} script what a model would do with that question
 * @property {string} systemPrompt
 * @property {(surroundings: Surroundings) => Opened | Promise<Opened>} open prepares the tools and whatever is behind them
 * @property {Record<string, { type: 'boolean' | 'string', help: string }>} [flags] the example's own command-line flags
 */

/**
 * @typedef {object} Surroundings
 * @property {Readonly<Record<string, string | boolean | undefined>>} flags the values of the example's own flags
 * @property {(label: string, words: string) => void} print prints a line for the person
 * @property {'embedded' | 'cli'} [backend]
 */

/**
 * @typedef {object} Opened
 * @property {Options} options
 * @property {import('tenon/workspace').Workspace} [workspace] files for the runtime's built-in tools; the CLI has its own
 * @property {(talk: Talk) => Promise<SDKResultMessage>} [converse] has the conversation; default: one `query()`
 * @property {(result: SDKResultMessage) => string | Promise<string>} [conclude] throws if the answer is not good
 *   enough; otherwise returns what to show the person
 * @property {() => void | Promise<void>} [close]
 */

/**
 * @typedef {object} Talk
 * @property {string} question
 * @property {Options} options
 * @property {(message: SDKMessage) => void} show
 */

/**
 * @typedef {object} RunOptions
 * @property {'embedded' | 'cli'} [backend]
 * @property {string} [question] default: the example's own
 * @property {boolean} [live] uses a real model instead of the script
 * @property {Options} [options] on top of the example's own
 * @property {(message: SDKMessage) => void} [show]
 * @property {Surroundings['flags']} [flags]
 * @property {Surroundings['print']} [print]
 */

/**
 * @param {Example} example
 * @param {RunOptions} [run]
 * @returns {Promise<SDKResultMessage>}
 */
export async function runExample(example, run = {}) {
  const { show = () => {}, print = () => {}, flags = {}, question = example.question } = run;
  const { backend = 'embedded' } = run;
  const opened = await example.open({ flags, print, backend });
  try {
    const agent = await openBackend(example, { ...run, backend }, question, opened.workspace);
    try {
      const options = {
        systemPrompt: example.systemPrompt,
        ...agent.options,
        ...opened.options,
        ...run.options,
      };
      const { converse = oneQuery } = opened;
      const result = await converse({ question, options, show });
      const conclusion = await opened.conclude?.(result);
      if (conclusion !== undefined) print('outcome', conclusion);
      return result;
    } finally {
      await agent.close();
    }
  } finally {
    await opened.close?.();
  }
}

/** @param {Talk} talk */
async function oneQuery({ question, options, show }) {
  const conversation = query({ prompt: question, options });
  for await (const message of conversation) show(message);
  return conversation.done;
}

/**
 * @param {Example} example
 * @param {RunOptions} run
 * @param {string} question
 * @param {Opened['workspace']} workspace
 * @returns {Promise<{ options: Options, close(): Promise<void> }>}
 */
async function openBackend(example, { backend, live = false }, question, workspace) {
  if (backend === 'embedded') {
    const model = live ? anthropic() : scriptAsModel(example.script, question);
    return { options: { runtime: embedded({ model, workspace }) }, close: async () => {} };
  }
  const own = { tools: [], settingSources: [], strictMcpConfig: true };
  if (live) return { options: own, close: async () => {} };
  const api = await scriptAsMessagesApi(example.script, question);
  // Isolated from the person's own settings, conversations and login.
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tenon-example-')));
  const env = { ...process.env, ...api.env(), CLAUDE_CONFIG_DIR: home, HOME: home };
  return {
    options: { ...own, env, cwd: home },
    close: async () => {
      await api.close();
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

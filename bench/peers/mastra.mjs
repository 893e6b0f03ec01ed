// @ts-check
/** Mastra's agent with its memory in PostgreSQL: the same turn, a thread for each conversation. */
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';

const INPUT = { n: 1, text: 'x'.repeat(100) };

/**
 * Its title and its recall by meaning would ask a model more often; they are off.
 *
 * @param {string} connectionString
 * @returns {Promise<import('../measure/host/together.mjs').Subject>}
 */
export async function mastra(connectionString) {
  const storage = new PostgresStore({ connectionString });
  await storage.init();
  const memory = new Memory({
    storage,
    options: { semanticRecall: false, workingMemory: { enabled: false }, threads: { generateTitle: false } },
  });
  let calls = 0;
  const echo = createTool({
    id: 'echo',
    description: 'Repeats',
    inputSchema: z.object({ n: z.number(), text: z.string() }),
    execute: async ({ context: { n, text } }) => {
      calls += 1;
      return `${n}:${text}`;
    },
  });
  const agent = new Agent({
    name: 'bench',
    instructions: 'Repeat.',
    model: model(),
    tools: { echo },
    memory,
  });
  new Mastra({ agents: { agent }, storage, logger: false, telemetry: { enabled: false } });
  return {
    turn: async (conversation) => {
      const thread = { thread: `user-${conversation}`, resource: `tenant-${conversation % 8}` };
      const { text } = await agent.generate('hi', { memory: thread });
      if (text !== 'done') throw new Error('The turn has failed.');
    },
    calls: () => calls,
    close: () => storage.close(),
  };
}

/** A language model of the AI SDK, in memory. @returns {any} */
function model() {
  let answers = 0;
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    specificationVersion: 'v2',
    provider: 'bench',
    modelId: 'bench-model',
    supportedUrls: {},
    doGenerate: async (/** @type {{ prompt: { role: string }[] }} */ { prompt }) => {
      answers += 1;
      const isAnswered = prompt.at(-1)?.role === 'tool';
      const call = { type: 'tool-call', toolCallId: `call_${answers}`, toolName: 'echo' };
      return {
        content: isAnswered ? [{ type: 'text', text: 'done' }] : [{ ...call, input: JSON.stringify(INPUT) }],
        finishReason: isAnswered ? 'stop' : 'tool-calls',
        usage,
        warnings: [],
      };
    },
  };
}

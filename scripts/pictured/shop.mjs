// A program with an agent, for pictures: its model plays a script, so that it needs neither a key nor a network.
import { setTimeout as wait } from 'node:timers/promises';
import { createSdkMcpServer, query } from 'tenon';
import { embedded } from 'tenon/runtime';
import { blocks, delay, scriptedModel } from 'tenon/testing';
import { price, refund, reserve, stock } from './tools.mjs';

const MODEL = 'claude-sonnet-5';

/**
 * An answer after a while, word by word.
 *
 * @param {number} ms
 * @param {readonly [input: number, output: number, read: number, write?: number]} tokens
 * @param {string} said
 * @param {readonly [name: string, input: Record<string, unknown>][]} calls
 */
function answer(ms, [input, output, read, write = 0], said, ...calls) {
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
  };
  const text = { type: /** @type {const} */ ('text'), text: said, chunks: 5, chunkDelayMs: 70 };
  const uses = calls.map(([name, given]) => ({
    type: /** @type {const} */ ('tool_use'),
    name,
    input: given,
  }));
  return delay(ms, blocks(said === '' ? uses : [text, ...uses], { usage }));
}

const buyer = {
  description: 'Compare suppliers',
  prompt: 'Which supplier of mallets is cheaper?',
  subagent_type: 'buyer',
};
const model = scriptedModel(
  [
    answer(
      700,
      [4210, 118, 0, 3900],
      'I will look at the price lists.',
      ['mcp__shop__price', { product: 'hammer' }],
      ['mcp__shop__price', { product: 'anvil' }],
    ),
    answer(520, [620, 64, 4100], 'I put two hammers aside.', [
      'mcp__shop__reserve',
      { product: 'hammer', pieces: 2, customer: 'Ms Novak' },
    ]),
    answer(
      430,
      [240, 71, 4700],
      'Two hammers are put aside for Ms Novak: 25.00 EUR. I could not find out how many are left, nor what an anvil costs.',
    ),
    answer(610, [310, 52, 4900], '', ['Agent', { ...buyer, run_in_background: false }]),
    answer(540, [900, 30, 0], '', ['mcp__shop__price', { product: 'mallet' }]),
    answer(380, [960, 22, 0], 'Supplier A is cheaper by 8 %.'),
    answer(450, [410, 33, 5200], '', ['mcp__shop__refund', { order: 'A-17' }]),
    answer(330, [300, 38, 5400], 'Supplier A is cheaper by 8 %. The refund of order A-17 needs a manager.'),
  ],
  MODEL,
);

const PROMPTS = [
  'How many hammers are left, and what do two cost? Put two aside for Ms Novak. What is an anvil?',
  'Which supplier of mallets is cheaper? And refund order A-17.',
];

/** @type {(() => void)[]} */
const answered = [];
const turns = PROMPTS.map(
  (_, index) => new Promise((resolve) => answered.splice(index, 1, () => resolve(undefined))),
);

async function* prompts() {
  for (const [index, content] of PROMPTS.entries()) {
    yield {
      type: /** @type {const} */ ('user'),
      session_id: '',
      parent_tool_use_id: null,
      message: { role: /** @type {const} */ ('user'), content },
    };
    await turns[index];
    if (index === 0) await wait(4_000);
  }
}

const conversation = query({
  prompt: prompts(),
  options: {
    runtime: embedded({
      model,
      prices: { [MODEL]: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
    }),
    systemPrompt:
      'You are the assistant of a hardware shop.\nBe brief, and never promise what is not in stock.\nPrices are in euro.',
    settingSources: [],
    includePartialMessages: true,
    mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [stock, price, reserve, refund] }) },
    allowedTools: ['mcp__shop__stock', 'mcp__shop__price', 'Agent'],
    agents: {
      buyer: {
        description: 'Compares suppliers',
        prompt: 'You compare suppliers.',
        tools: ['mcp__shop__price'],
      },
    },
    hooks: {
      PreToolUse: [
        {
          matcher: 'mcp__shop__(reserve|refund)',
          hooks: [
            async () => {
              await wait(90);
              return {};
            },
          ],
        },
      ],
    },
    canUseTool: async (name, input) => {
      await wait(1_600);
      if (name.endsWith('refund')) return { behavior: 'deny', message: 'Refunds need a manager.' };
      return { behavior: 'allow', updatedInput: input };
    },
  },
});
for await (const message of conversation) if (message.type === 'result') answered.shift()?.();

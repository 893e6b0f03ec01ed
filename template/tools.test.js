// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';
import { shop } from './tools.js';

/**
 * Runs the agent with a model that does what the script says: the agent and the tools are real, and nothing needs a
 * network or a key.
 * @param {string} product
 */
async function askFor(product) {
  const model = scriptedModel([
    { toolUses: [{ tool: 'mcp__shop__stock', input: { product } }] },
    'That is what I found.',
  ]);
  const agent = query({
    prompt: 'Do we have it?',
    options: { runtime: embedded({ model }), mcpServers: { shop }, allowedTools: ['mcp__shop__*'] },
  });
  const result = await agent.done;
  model.assertDone();
  // The last message of the second request is what the model was told by the tool.
  return { result, told: JSON.stringify(model.requests[1]?.messages.at(-1)) };
}

test('the agent finds out how many there are', async () => {
  const { result, told } = await askFor('hammer');
  assert.equal(result.subtype, 'success');
  assert.match(told, /hammer: 7 in stock/);
});

test('an unknown product is an error that the model can act on', async () => {
  const { told } = await askFor('spoon');
  assert.match(told, /There are: hammer, saw/);
});

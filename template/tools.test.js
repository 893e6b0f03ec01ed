// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel, toolUse } from 'tenon/testing';
import { shop } from './tools.js';

/**
 * Runs the agent with a scripted model: the agent and the tools are real, and nothing needs a network or a
 * key.
 * @param {string} product
 */
async function askFor(product) {
  const model = scriptedModel([toolUse('mcp__shop__stock', { product }), 'That is what I found.']);
  const agent = query({
    prompt: 'Do we have it?',
    options: { runtime: embedded({ model }), mcpServers: { shop }, allowedTools: ['mcp__shop__*'] },
  });
  const result = await agent.done;
  model.assertDone();
  // The second request tells the model what the tool answered.
  return { result, answer: JSON.stringify(model.requests[1]?.toolResults) };
}

test('the agent finds out how many there are', async () => {
  const { result, answer } = await askFor('hammer');
  assert.equal(result.subtype, 'success');
  assert.match(answer, /hammer: 7 in stock/);
});

test('an unknown product is an error that the model can act on', async () => {
  const { answer } = await askFor('spoon');
  assert.match(answer, /There are: hammer, saw/);
});

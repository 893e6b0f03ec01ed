/** The scripted model tells the author of a test what is wrong with the script. */
import { expect, it } from 'vitest';
import {
  scriptedModel,
  UnconsumedModelStepsError,
  UnexpectedModelCallError,
} from '../../src/testing/index.js';

const request = { model: 'm', max_tokens: 1, system: [], messages: [], tools: [] };

async function ask(model: ReturnType<typeof scriptedModel>): Promise<number> {
  let events = 0;
  const { signal } = new AbortController();
  for await (const _ of model.stream(request, { signal, onRetry: () => {} })) events += 1;
  return events;
}

it('a request more, or a step more, than the script has is an error', async () => {
  const model = scriptedModel(['One.', 'Two.']);
  expect(await ask(model)).toBeGreaterThan(0);
  expect(() => model.assertDone()).toThrow(UnconsumedModelStepsError);
  await ask(model);
  model.assertDone();
  const error = await ask(model).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UnexpectedModelCallError);
  expect(error.message).toBe('scriptedModel: request 3 came, but the script has 2 steps.');
});

it('a function that returns nothing is named as the cause', async () => {
  const model = scriptedModel(() => undefined as never);
  await expect(ask(model)).rejects.toThrow('scriptedModel: the script returned nothing for request 1');
});

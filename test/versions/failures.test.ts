/** What goes wrong is told in the same way on every version. */
import { expect } from 'vitest';
import { ResultError } from '../../src/index.js';
import { apiError } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scenario } from './support/scenario.js';
import { resultsOf, stage } from './support/stage.js';

scenario('an API error 401 is a failure of its kind', async (cli) => {
  await using on = await stage(cli, () => apiError(401, 'authentication_error', 'invalid x-api-key'));
  const { messages, error } = await collect(on.query('Hi'));
  expect(resultsOf(messages)).toMatchObject([
    { is_error: true, failure: { kind: 'authentication', retryable: false } },
  ]);
  expect(error).toBeInstanceOf(ResultError);
});

scenario('a model that does not exist is a failure of its kind', async (cli) => {
  await using on = await stage(cli, () => apiError(404, 'not_found_error', 'model: no-such-model'));
  const { messages, error } = await collect(on.query('Hi', { model: 'no-such-model' }));
  expect(resultsOf(messages)).toMatchObject([{ is_error: true, failure: { kind: 'model_not_found' } }]);
  expect(error).toBeInstanceOf(ResultError);
});

/** Programs and tracers that look at the version, the name or the file of the SDK before they use it. */
import { expect, it } from 'vitest';
import { scriptedMessagesApi, text } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { type Installation, installWithStandIn, installWithTenon } from './support/installation.js';

async function run(installed: Installation) {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([text('Hello.')]);
  return await installed.run('gated.mjs', cliPath, JSON.stringify(box.env(api)), box.cwd);
}

it('the stand-in passes version gates, and tracers find it', async () => {
  await using installed = await installWithStandIn();
  expect(await run(installed)).toEqual({
    inSdk: true,
    version: expect.stringMatching(/^0\.3\.325/),
    passes: ['>=0.2.0', '^0.3', '>=0.3.0 <0.4.0'],
    rewritten: { byPath: true, byName: true },
    answer: 'Hello.',
    traced: ['Hello?'],
  });
});

it.skipIf(process.env.ADOPT_OFFICIAL === '1')(
  'the alias has a version of its own, which they pass over, and works without them',
  async () => {
    await using installed = await installWithTenon();
    expect(await run(installed)).toMatchObject({
      passes: [],
      rewritten: { byPath: false, byName: false },
      answer: 'Hello.',
      traced: [],
    });
  },
);

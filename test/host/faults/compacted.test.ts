/** A turn that was compacted before its worker had to stop (R60, R44). */
import { expect, it, vi } from 'vitest';
import { embedded, summarize } from '../../../src/runtime/index.js';
import { hang, type ScriptedRequest, scriptedModel, text, toolUse } from '../../../src/testing/index.js';
import { hosted, isDone, REF, shared, shop, until, words } from '../support/host.js';

const LONG = 'word '.repeat(2_000);
const isForSummary = ({ messages }: ScriptedRequest): boolean =>
  /text only/i.test(JSON.stringify(messages.at(-1)));

it('a turn whose beginning was summed up goes on where it was: the prompt is not worked on twice', async () => {
  const storage = shared();
  const { server, effects } = shop({}, () => LONG);
  const agent = (script: (request: ScriptedRequest) => ReturnType<typeof text>) => {
    const model = scriptedModel(script);
    const runtime = embedded({ model, context: { window: 20_000, keepTokens: 0, strategy: [summarize()] } });
    return { model, options: { runtime, allowedTools: ['mcp__shop__*'] } };
  };
  let calls = 0;
  const first = agent((request) => {
    if (isForSummary(request)) return text('<summary>Much was paid.</summary>');
    calls += 1;
    return calls < 6 ? toolUse('mcp__shop__pay', { amount: calls }) : (hang() as never);
  });
  {
    const { host } = hosted([], { server }, { storage }, first.options);
    await using _ = host;
    await host.send(REF, 'Pay a lot.');
    await vi.waitFor(() => expect(calls).toBe(6));
  }
  expect(first.model.requests.some(isForSummary)).toBe(true);
  const before = effects.length;
  const second = agent(() => text('All is paid.'));
  const { host } = hosted([], { server }, { storage }, second.options);
  await using _ = host;
  const told = words(await until(host, REF, isDone));
  expect(told.slice(-3)).toEqual(['assistant text: All is paid.', 'result', 'done: answered']);
  expect(effects.length).toBe(before);
  const asked = second.model.requests.flatMap(({ messages }) =>
    JSON.stringify(messages).match(/Pay a lot\./g),
  );
  expect(asked).toEqual([null]);
  // Readers see all of the turn.
  const again = told.slice(told.indexOf('resumed') + 1).map((word) => word.slice(0, 40));
  const results = effects.flatMap((_, index) => [
    `assistant tool_use: {"amount":${index + 1}}`,
    expect.stringContaining('user tool_result'),
  ]);
  expect(again.slice(0, -3)).toEqual(['user text: Pay a lot.', ...results]);
});

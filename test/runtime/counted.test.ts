/** What a result counts, on both back ends: turns, and the time of the model's requests (pain 47). */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  type Options,
  type SDKResultMessage,
  tool,
} from '../../src/index.js';
import { delay, type ScriptStep, text, toolUse, toolUses } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

const MODEL_MS = 200;
const TOOL_MS = 1000;

const server = createSdkMcpServer({
  name: 's',
  tools: [
    tool('quick', 'Answers at once', {}, () => 'ok'),
    tool('slow', 'Takes its time', {}, async () => {
      await wait(TOOL_MS);
      return 'ok';
    }),
  ],
});
const quick = toolUse('mcp__s__quick');
const two = toolUses([{ name: 'mcp__s__quick' }, { name: 'mcp__s__quick' }]);
const outputFormat: Options['outputFormat'] = {
  type: 'json_schema',
  schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
};
const given = toolUse('StructuredOutput', { a: 1 });
const insisting: Options['hooks'] = {
  Stop: [
    {
      hooks: [
        async (input) =>
          'stop_hook_active' in input && input.stop_hook_active
            ? {}
            : { decision: 'block', reason: 'Go on.' },
      ],
    },
  ],
};

/** As the CLI counts: the last answer, and every result, reminder or complaint that came before it. */
const TURNS: [what: string, turns: number, script: ScriptStep[], options: Options][] = [
  ['an answer', 1, [text('Done.')], {}],
  ['a call', 2, [quick, text('Done.')], {}],
  ['two calls of one answer', 3, [two, text('Done.')], {}],
  ['a turn limit, reached by two calls of one answer', 2, [two], { maxTurns: 1 }],
  ['a turn limit, reached later', 3, [two, two], { maxTurns: 2 }],
  ['a Stop hook that insists', 2, [text('Done.'), text('More.')], { hooks: insisting }],
  ['structured output', 2, [given], { outputFormat }],
  ['structured output after a reminder', 3, [text('Here.'), given], { outputFormat }],
];

describe.each(BACK_ENDS)('on $name', (backEnd) => {
  it.each(TURNS)('`num_turns` of %s is %i', async (_, turns, script, options) => {
    await using agent = await backEnd.start(script);
    const { messages } = await ask(
      agent.options({
        mcpServers: { s: server },
        allowedTools: ['mcp__s'],
        throwOnErrorResult: false,
        ...options,
      }),
    );
    const result = messages.find((message) => message.type === 'result');
    expect(result?.num_turns).toBe(turns);
    agent.player.assertDone();
  });

  it('`duration_api_ms` is the time of all requests so far, and of nothing else', async () => {
    await using agent = await backEnd.start([
      delay(MODEL_MS, toolUse('mcp__s__slow')),
      delay(MODEL_MS, text('One.')),
      delay(MODEL_MS, text('Two.')),
    ]);
    await using session = createSession(
      agent.options({ mcpServers: { s: server }, allowedTools: ['mcp__s'] }),
    );
    const first: SDKResultMessage = await session.ask('Go.');
    // The tool was the rest. Half of its time is for a CLI that is slow to see the end of an answer.
    expect(first.duration_ms - first.duration_api_ms).toBeGreaterThan(TOOL_MS / 2);
    expect(first.duration_api_ms).toBeGreaterThanOrEqual(2 * MODEL_MS);
    const second = await session.ask('Go on.');
    expect(second.duration_api_ms).toBeGreaterThanOrEqual(first.duration_api_ms + MODEL_MS);
    const { session: usage } =
      await session.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
    expect(usage.total_api_duration_ms).toBeGreaterThanOrEqual(second.duration_api_ms);
    expect(usage.total_duration_ms - usage.total_api_duration_ms).toBeGreaterThan(TOOL_MS / 2);
  });
});

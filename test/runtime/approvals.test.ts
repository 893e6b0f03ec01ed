/** Calls of one answer do not wait for each other's approvals, as far as the agent runs them side by side. */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, type SDKMessage, tool } from '../../src/index.js';
import { toolUses } from '../../src/testing/index.js';
import { BACK_ENDS, resultsOf } from '../support/back-ends.js';
import { gate } from './support.js';

const ANY = { type: 'object' as const, properties: {}, additionalProperties: true };

const answerOf = (message: SDKMessage): string[] => resultsOf([message]);

describe.each(BACK_ENDS)('$name', (backEnd) => {
  it('shows the result of an allowed call while a person still thinks about the one before it (R16, pain 46)', async () => {
    const seen = gate();
    const reader = (name: string) =>
      tool(name, name, ANY, () => name, { annotations: { readOnlyHint: true } });
    const s = createSdkMcpServer({ name: 's', tools: [reader('asked'), reader('allowed')] });
    await using agent = await backEnd.start([
      toolUses([
        { name: 'mcp__s__asked', id: 'toolu_asked' },
        { name: 'mcp__s__allowed', id: 'toolu_allowed' },
      ]),
      'Done.',
    ]);
    const results: string[] = [];
    const answers = query({
      prompt: 'Go.',
      options: agent.options({
        mcpServers: { s },
        mcpReady: true,
        allowedTools: ['mcp__s__allowed'],
        // The person decides only when the other result is on the screen.
        canUseTool: async () => {
          await seen.opened;
          return { behavior: 'allow' };
        },
      }),
    });
    for await (const message of answers) {
      results.push(...answerOf(message));
      if (results.includes('allowed')) seen.open();
    }
    expect(results).toEqual(['allowed', 'asked']);
  });
});

describe('the embedded runtime', () => {
  it('remembers the results in the order of the calls, whoever was first (R16)', async () => {
    const [, runtime] = BACK_ENDS;
    const late = gate();
    const s = createSdkMcpServer({
      name: 's',
      tools: [
        tool('slow', 'slow', ANY, () => late.opened.then(() => 'slow'), {
          annotations: { readOnlyHint: true },
        }),
        tool('fast', 'fast', ANY, () => 'fast', { annotations: { readOnlyHint: true } }),
      ],
    });
    await using agent = await (runtime as (typeof BACK_ENDS)[number]).start([
      toolUses([{ name: 'mcp__s__slow' }, { name: 'mcp__s__fast' }]),
      'Done.',
    ]);
    const shown: string[] = [];
    const answers = query({
      prompt: 'Go.',
      options: agent.options({ mcpServers: { s }, allowedTools: ['mcp__s'] }),
    });
    for await (const message of answers) {
      shown.push(...answerOf(message));
      if (shown.includes('fast')) late.open();
    }
    expect(shown).toEqual(['fast', 'slow']);
    const [, second] = agent.player.requests;
    const results = second?.messages.at(-1)?.content as { type: string; content: { text: string }[] }[];
    expect(results.map(({ content }) => content[0]?.text)).toEqual(['slow', 'fast']);
  });
});

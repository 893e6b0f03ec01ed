/** `settings` and `extraArgs.settings` are both heard: an agent reads one `--settings`, and rules must not get lost with the other (R21). */
import { describe, expect, it, vi } from 'vitest';
import { createSdkMcpServer, OptionError, query, tool } from '../../src/index.js';
import { warningsTo } from '../../src/options/normalise.js';
import { planOf } from '../../src/options/plan.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

describe.each(BACK_ENDS)('with $name', ({ start }) => {
  it('a rule of either restricts (R21)', async () => {
    await using agent = await start([toolUse('mcp__s__drop'), toolUse('mcp__s__ping'), 'Done.']);
    const ran: string[] = [];
    const named = (name: string) =>
      tool(name, name, {}, () => {
        ran.push(name);
        return 'ran';
      });
    const s = createSdkMcpServer({ name: 's', alwaysLoad: true, tools: [named('drop'), named('ping')] });
    const asked: string[] = [];
    await ask(
      agent.options({
        mcpServers: { s },
        allowedTools: ['mcp__s__drop', 'mcp__s__ping'],
        settings: { permissions: { deny: ['mcp__s__drop'] } },
        extraArgs: { settings: JSON.stringify({ permissions: { ask: ['mcp__s__ping'] } }) },
        canUseTool: async (name) => {
          asked.push(name);
          return { behavior: 'deny', message: 'No.' };
        },
      }),
    );
    expect(ran).toEqual([]);
    expect(asked).toEqual(['mcp__s__ping']);
  });
});

it('both are joined: lists of rules and hooks add up, of anything else the option counts', () => {
  const { plan } = planOf({
    settings: {
      model: 'a',
      permissions: { deny: ['A'], ask: ['B'], defaultMode: 'plan' },
      hooks: { Stop: [{ hooks: [1] }] },
    },
    extraArgs: {
      settings: JSON.stringify({
        model: 'b',
        language: 'German',
        permissions: { deny: ['C'], ask: ['D'], allow: ['E'], defaultMode: 'default' },
        hooks: { Stop: [{ hooks: [2] }], PreToolUse: [{ hooks: [3] }] },
      }),
      other: null,
    },
  });
  expect(plan.extraArgs).toEqual({ other: null });
  expect(plan.settings).toEqual({
    model: 'a',
    language: 'German',
    permissions: { deny: ['C', 'A'], ask: ['D', 'B'], allow: ['E'], defaultMode: 'plan' },
    hooks: { Stop: [{ hooks: [2] }, { hooks: [1] }], PreToolUse: [{ hooks: [3] }] },
  });
});

it.each([
  ['the path of a file beside settings', { settings: { model: 'a' }, extraArgs: { settings: '/a.json' } }],
  ['settings beside the path of a file', { settings: '/a.json', extraArgs: { settings: '{}' } }],
  ['something that is no JSON', { settings: { model: 'a' }, extraArgs: { settings: '{' } }],
])('%s is refused: one of the two would be lost', (_, options) => {
  expect(() => query({ prompt: 'Go.', options })).toThrow(OptionError);
  expect(() => query({ prompt: 'Go.', options })).toThrow(/extraArgs\.settings/);
});

it('what was warned of is remembered, but not without bounds', () => {
  const heard: unknown[] = [];
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation((text) => void heard.push(text));
  const warn = warningsTo({}, 'TENON_TEST');
  for (let round = 0; round < 2; round += 1) warn('first');
  for (let index = 0; index < LIMITS.rememberedWarnings; index += 1) warn(`warning ${index}`);
  warn('warning 1');
  warn('first');
  emit.mockRestore();
  // Forgotten meanwhile, so it is said again.
  expect(heard.filter((text) => text === 'first')).toHaveLength(2);
  expect(heard.filter((text) => text === 'warning 1')).toHaveLength(1);
});

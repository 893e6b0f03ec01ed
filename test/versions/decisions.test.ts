/** Who decides whether a tool runs: the permission callback, the rules, the hooks. */
import { expect } from 'vitest';
import type { HookInput, Options } from '../../src/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scenario } from './support/scenario.js';
import { calculator, resultsOf, stage, toolResultTexts, withoutServers } from './support/stage.js';

const script = [toolUse('mcp__calc__add', { a: 1, b: 2 }), text('Done.')];

scenario(
  'canUseTool allows without `updatedInput`',
  async (cli) => {
    await using on = await stage(cli, script);
    const { calls, server } = calculator();
    const asked: unknown[] = [];
    const { messages, error } = await collect(
      on.query('Add', {
        mcpServers: { calc: server },
        canUseTool: async (name, input) => {
          asked.push([name, input]);
          return { behavior: 'allow' };
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(asked).toEqual([['mcp__calc__add', { a: 1, b: 2 }]]);
    expect(calls).toEqual([{ a: 1, b: 2 }]);
    expect(toolResultTexts(on.api.requests[1])).toEqual(['3']);
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
  },
  [withoutServers],
);

scenario(
  'canUseTool denies, and the model reads why',
  async (cli) => {
    await using on = await stage(cli, script);
    const { calls, server } = calculator();
    const { messages, error } = await collect(
      on.query('Add', {
        mcpServers: { calc: server },
        canUseTool: async () => ({ behavior: 'deny', message: 'Not on a Sunday.' }),
      }),
    );
    expect(error).toBeUndefined();
    expect(calls).toEqual([]);
    expect(toolResultTexts(on.api.requests[1])).toEqual([expect.stringContaining('Not on a Sunday.')]);
    expect(resultsOf(messages)).toMatchObject([{ permission_denials: [{ tool_name: 'mcp__calc__add' }] }]);
  },
  [withoutServers],
);

scenario(
  'no callback and no rule: the tool does not run',
  async (cli) => {
    await using on = await stage(cli, script);
    const { calls, server } = calculator();
    const { error } = await collect(on.query('Add', { mcpServers: { calc: server } }));
    expect(error).toBeUndefined();
    expect(calls).toEqual([]);
    expect(on.api.requests[1]?.toolResults).toMatchObject([{ is_error: true }]);
  },
  [withoutServers],
);

scenario(
  'rules for all tools of a server: `mcp__calc__*` allows, and denies',
  async (cli) => {
    const callsWith = async (rules: Options): Promise<number> => {
      await using on = await stage(cli, script);
      const { calls, server } = calculator();
      const { error } = await collect(on.query('Add', { mcpServers: { calc: server }, ...rules }));
      expect(error).toBeUndefined();
      return calls.length;
    };
    expect(await callsWith({ allowedTools: ['mcp__calc__*'] })).toBe(1);
    const both = { allowedTools: ['mcp__calc__add'], disallowedTools: ['mcp__calc__*'] };
    expect(await callsWith(both)).toBe(0);
  },
  [withoutServers],
);

scenario(
  'a PreToolUse hook denies, and the model reads why',
  async (cli) => {
    await using on = await stage(cli, script);
    const { calls, server } = calculator();
    const seen: HookInput[] = [];
    const { error } = await collect(
      on.query('Add', {
        mcpServers: { calc: server },
        allowedTools: ['mcp__calc__add'],
        hooks: {
          PreToolUse: [
            {
              matcher: 'mcp__calc__.*',
              hooks: [
                async (input) => {
                  seen.push(input);
                  return {
                    hookSpecificOutput: {
                      hookEventName: 'PreToolUse',
                      permissionDecision: 'deny',
                      permissionDecisionReason: 'The hook is against it.',
                    },
                  };
                },
              ],
            },
          ],
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(seen).toMatchObject([{ hook_event_name: 'PreToolUse', tool_input: { a: 1, b: 2 } }]);
    expect(calls).toEqual([]);
    expect(toolResultTexts(on.api.requests[1])).toEqual([expect.stringContaining('The hook is against it.')]);
  },
  [withoutServers],
);

scenario(
  'a PostToolUse hook sees the outcome',
  async (cli) => {
    await using on = await stage(cli, script);
    const { calls, server } = calculator();
    const seen: HookInput[] = [];
    const { error } = await collect(
      on.query('Add', {
        mcpServers: { calc: server },
        allowedTools: ['mcp__calc__add'],
        hooks: {
          PostToolUse: [
            {
              hooks: [
                async (input) => {
                  seen.push(input);
                  return {};
                },
              ],
            },
          ],
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(calls).toHaveLength(1);
    expect(seen).toMatchObject([{ hook_event_name: 'PostToolUse', tool_name: 'mcp__calc__add' }]);
    expect(JSON.stringify(seen)).toContain('"3"');
  },
  [withoutServers],
);

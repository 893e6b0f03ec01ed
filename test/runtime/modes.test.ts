/** Modes, rules and updates of permissions: what the CLI does with tools of MCP servers, the runtime does too. */
import { describe, expect, test } from 'vitest';
import type { CanUseTool, Options, PermissionUpdate } from '../../src/index.js';
import { type Script, text, toolUse } from '../../src/testing/index.js';
import { BACK_ENDS, converse, told } from './back-ends.js';

const read = toolUse('mcp__s__read');
const write = toolUse('mcp__s__write', { x: 1 });
const both: Script = [read, write, text('Done.')];

const allows: CanUseTool = async (_, input) => ({ behavior: 'allow', updatedInput: input });
const bypass: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

describe.each(BACK_ENDS)('on %s', (backEnd) => {
  test.each<[string, Options, { ran: string[]; asked: string[] }]>([
    ['plan', { permissionMode: 'plan', allowedTools: ['mcp__s'] }, { ran: ['read'], asked: [] }],
    [
      'plan, with a host',
      { permissionMode: 'plan', canUseTool: allows },
      { ran: ['read', 'write'], asked: ['read', 'write'] },
    ],
    [
      'acceptEdits',
      { permissionMode: 'acceptEdits', canUseTool: allows },
      { ran: ['read', 'write'], asked: ['read', 'write'] },
    ],
    [
      'dontAsk',
      { permissionMode: 'dontAsk', allowedTools: ['mcp__s__read'], canUseTool: allows },
      { ran: ['read'], asked: [] },
    ],
    ['bypassPermissions', { ...bypass, canUseTool: allows }, { ran: ['read', 'write'], asked: [] }],
    [
      'bypassPermissions and a deny rule',
      { ...bypass, disallowedTools: ['mcp__*__write'] },
      { ran: ['read'], asked: [] },
    ],
    [
      'an allow rule behind a deny rule',
      { allowedTools: ['mcp__s'], disallowedTools: ['*write'] },
      { ran: ['read'], asked: [] },
    ],
  ])('the mode decides (R21): %s', async (_, options, expected) => {
    const outcome = await converse(backEnd, both, options);
    expect({ ran: outcome.ran, asked: outcome.asked }).toEqual(expected);
    expect(told(outcome).map(({ isError }) => isError)).toEqual(
      ['read', 'write'].map((name) => !expected.ran.includes(name)),
    );
  });

  test('plan mode says why to the model and to the host (R21)', async () => {
    const outcome = await converse(backEnd, [write, text('Done.')], {
      permissionMode: 'plan',
      allowedTools: ['mcp__s'],
    });
    const message = 'Cannot call mcp__s__write while in plan mode.';
    expect(told(outcome)).toEqual([{ text: message, isError: true }]);
    expect(outcome.messages.find(({ subtype }) => subtype === 'permission_denied')).toMatchObject({
      message,
      decision_reason_type: 'mode',
    });
    expect(outcome.results[0]).toMatchObject({ permission_denials: [{ tool_name: 'mcp__s__write' }] });
  });

  const rules = (
    type: 'addRules' | 'replaceRules' | 'removeRules',
    behavior: 'allow' | 'deny' | 'ask',
    ...names: string[]
  ) =>
    ({
      type,
      behavior,
      destination: 'session',
      rules: names.map((name) => ({ toolName: `mcp__s__${name}` })),
    }) satisfies PermissionUpdate;

  // The host is asked about the first `write` and answers with the updates; then come `write` and `read`.
  test.each<[string, PermissionUpdate[], { ran: string[]; asked: string[] }, Options?]>([
    [
      'addRules allow',
      [rules('addRules', 'allow', 'write')],
      { ran: ['write', 'write', 'read'], asked: ['write', 'read'] },
    ],
    [
      'addRules deny',
      [rules('addRules', 'deny', 'write')],
      { ran: ['write', 'read'], asked: ['write', 'read'] },
    ],
    [
      'addRules ask',
      [rules('addRules', 'ask', 'read')],
      { ran: ['write', 'write', 'read'], asked: ['write', 'write', 'read'] },
      { allowedTools: ['mcp__s__read'] },
    ],
    [
      'replaceRules',
      [rules('addRules', 'allow', 'write'), rules('replaceRules', 'allow', 'read')],
      { ran: ['write', 'write', 'read'], asked: ['write', 'write'] },
    ],
    [
      'removeRules',
      [rules('addRules', 'allow', 'write', 'read'), rules('removeRules', 'allow', 'write')],
      { ran: ['write', 'write', 'read'], asked: ['write', 'write'] },
    ],
    [
      'setMode',
      [{ type: 'setMode', mode: 'dontAsk', destination: 'session' }],
      { ran: ['write'], asked: ['write'] },
    ],
    [
      'a mode that it was not started with',
      [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
      { ran: ['write', 'write', 'read'], asked: ['write', 'write', 'read'] },
    ],
    [
      'addDirectories',
      [{ type: 'addDirectories', directories: ['/tmp'], destination: 'session' }],
      { ran: ['write', 'write', 'read'], asked: ['write', 'write', 'read'] },
    ],
  ])(
    'the host changes permissions while the conversation runs (R21): %s',
    async (_, updatedPermissions, expected, options = {}) => {
      let isFirst = true;
      const canUseTool: CanUseTool = async (_name, input) => {
        const updates = isFirst ? { updatedPermissions } : {};
        isFirst = false;
        return { behavior: 'allow', updatedInput: input, ...updates };
      };
      const outcome = await converse(backEnd, [write, write, read, text('Done.')], {
        canUseTool,
        ...options,
      });
      expect({ ran: outcome.ran, asked: outcome.asked }).toEqual(expected);
    },
  );

  test('"no, and stop" ends the turn at once, and the model never reads it (pain 31)', async () => {
    const script: Script = [toolUse('mcp__s__write'), text('Next.')];
    const canUseTool: CanUseTool = async () => ({
      behavior: 'deny',
      message: 'NO AND STOP',
      interrupt: true,
    });
    const outcome = await converse(backEnd, script, { canUseTool, throwOnErrorResult: false }, [
      'One',
      'Two',
    ]);
    expect(outcome.results).toMatchObject([
      {
        subtype: 'error_during_execution',
        // The CLI runs a tool before the answer that asks for it has ended, and says what was cut off first.
        terminal_reason: expect.stringMatching(
          backEnd === 'the CLI' ? /^aborted_(tools|streaming)$/ : /^aborted_tools$/,
        ),
        permission_denials: [{ tool_name: 'mcp__s__write' }],
      },
      { subtype: 'success', result: 'Next.' },
    ]);
    expect(JSON.stringify(outcome.api.requests.map(({ body }) => body.messages))).not.toContain(
      'NO AND STOP',
    );
    expect(outcome.api.requests).toHaveLength(2);
  });

  test('a budget that is spent ends the prompt and every later one without a request (pain 47)', async () => {
    const script: Script = () => text('Dear.', { usage: { output_tokens: 10_000 } });
    const outcome = await converse(backEnd, script, { maxBudgetUsd: 0.1, throwOnErrorResult: false }, [
      'One',
      'Two',
    ]);
    expect(outcome.results).toMatchObject([
      { subtype: 'error_max_budget_usd' },
      { subtype: 'error_max_budget_usd' },
    ]);
    expect(outcome.api.requests).toHaveLength(1);
  });
});

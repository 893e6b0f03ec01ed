/** Who may do what: rules, modes and the host's callback. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { CanUseTool, McpServerConfig, Options, PermissionMode } from '../../../src/index.js';
import { text, toolUse, toolUses } from '../../../src/testing/index.js';
import { calc, results, textResult, toolResults } from '../support/calc.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const oneCall = [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('Done.')];

function ran(outcome: Outcome): void {
  expect(outcome.calls.filter(({ name }) => name === 'add')).toHaveLength(1);
  expect(toolResults(outcome)).toMatchObject([{ content: [{ text: '42' }] }]);
  expect(results(outcome)).toMatchObject([{ subtype: 'success', permission_denials: [] }]);
}

function refused(outcome: Outcome, words: string | RegExp = ''): void {
  expect(outcome.calls.filter(({ name }) => name === 'add')).toEqual([]);
  expect(toolResults(outcome)).toMatchObject([{ is_error: true, content: expect.stringMatching(words) }]);
}

/** One call, and a callback that decides; it notes what it was told. */
function asked(
  name: string,
  cites: string,
  decide: CanUseTool,
  check: (outcome: Outcome) => void,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    cites,
    script: oneCall,
    servers: calc,
    options: (context) => ({ canUseTool: noting(context, decide) }),
    check,
    ...more,
  };
}

function noting(context: Context, decide: CanUseTool): CanUseTool {
  return (tool, input, extra) => {
    const { signal, requestId, ...rest } = extra;
    context.note('canUseTool', {
      tool,
      input,
      aborted: signal.aborted,
      requestId: typeof requestId,
      ...rest,
    });
    return decide(tool, input, extra);
  };
}

function ruled(rule: string, allows: boolean): Scenario {
  return {
    name: `the rule ${rule} ${allows ? 'allows' : 'does not allow'} a tool`,
    cites: `s04-allowed-${rule.replace('*', 'STAR')}, R21`,
    script: oneCall,
    servers: calc,
    options: () => ({ allowedTools: [rule] }),
    check: allows ? ran : (outcome) => refused(outcome),
  };
}

function withOptions(
  name: string,
  cites: string,
  options: Options,
  check: (outcome: Outcome) => void,
): Scenario {
  return { name, cites, script: oneCall, servers: calc, options: () => options, check };
}

export const permissions: readonly Scenario[] = [
  asked(
    'the callback allows',
    's04-sdk-allow, R21',
    async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    ran,
  ),
  asked(
    'the callback allows without repeating the input',
    's04-sdk-allow-noinput, R21, pain 21',
    async () => ({ behavior: 'allow' }),
    ran,
  ),
  asked(
    'the callback changes the input',
    's04-sdk-updated, R21',
    async () => ({ behavior: 'allow', updatedInput: { a: 1, b: 1 } }),
    (outcome) => {
      expect(outcome.calls.at(-1)).toEqual({ name: 'add', input: { a: 1, b: 1 } });
      expect(toolResults(outcome)).toMatchObject([{ content: [{ text: '2' }] }]);
    },
  ),
  asked(
    'the callback allows for the rest of the session',
    's04-sdk-always, s04r-session-rule',
    async (_, input, { suggestions = [] }) => ({
      behavior: 'allow',
      updatedInput: input,
      updatedPermissions: suggestions.map((suggestion) => ({
        ...suggestion,
        destination: 'session' as const,
      })),
    }),
    (outcome) => {
      expect(outcome.calls.map(({ name }) => name)).toEqual(['canUseTool', 'add', 'add']);
      expect(toolResults(outcome, 2)).toMatchObject([{ content: [{ text: '3' }] }]);
    },
    { script: [oneCall[0]!, toolUse('mcp__calc__add', { a: 1, b: 2 }), text('Done.')] },
  ),
  asked(
    'the callback denies',
    's04-sdk-deny, R21',
    async () => ({ behavior: 'deny', message: 'not today' }),
    (outcome) => {
      refused(outcome, 'not today');
      expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'mcp__calc__add' }] }]);
    },
  ),
  asked(
    'the callback denies and interrupts',
    's04-sdk-deny-interrupt',
    async () => ({ behavior: 'deny', message: 'stop', interrupt: true }),
    (outcome) => {
      expect(outcome.requests).toHaveLength(1);
      expect(results(outcome)).toMatchObject([{ subtype: 'error_during_execution', is_error: true }]);
      expect(outcome.error).toBeDefined();
    },
    { script: [oneCall[0]!] },
  ),
  asked(
    'the callback throws',
    's04-sdk-throws, decision 8, R21',
    async () => {
      throw new Error('the database is down');
    },
    (outcome) => refused(outcome, 'the database is down'),
  ),
  asked(
    'the callback returns something that is no decision',
    's04r-garbage, decision 8, R21',
    async () => ({ verdict: 'fine' }) as never,
    (outcome) => refused(outcome, /canUseTool callback returned|no valid permission decision/),
  ),
  asked(
    'the callback denies without a message',
    's04r-deny-nomsg',
    async () => ({ behavior: 'deny' }) as never,
    (outcome) => refused(outcome),
  ),
  {
    name: 'a server whose tool must always be asked for',
    cites: 's04r-policy-ask',
    script: oneCall,
    servers: (context) => ({
      calc: {
        ...calc(context).calc!,
        tools: [{ name: 'add', permission_policy: 'always_ask' }],
      } as McpServerConfig,
    }),
    options: (context) => ({
      settings: { permissions: { allow: ['mcp__calc__add'] } },
      canUseTool: noting(context, async (_, input) => ({ behavior: 'allow', updatedInput: input })),
    }),
    check: (outcome) => expect(outcome.calls.map(({ name }) => name)).toEqual(['canUseTool', 'add']),
  },
  withOptions('no callback and no rule', 's04-no-callback, decision 8, R21', {}, (outcome) => {
    refused(outcome);
    expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'mcp__calc__add' }] }]);
  }),
  ruled('mcp__calc', true),
  ruled('mcp__calc__*', true),
  ruled('mcp__calc__add', true),
  ruled('mcp__*', false),
  {
    name: 'a tool that is disallowed',
    cites: 's04r-disallowed',
    script: oneCall,
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc'], disallowedTools: ['mcp__calc__add'] }),
    check: (outcome) => {
      expect(outcome.requests[0]?.toolNames).not.toContain('mcp__calc__add');
      refused(outcome);
    },
  },
  {
    name: 'a server that is disallowed',
    cites: 's04r-disallowed-server',
    script: oneCall,
    servers: calc,
    options: () => ({ disallowedTools: ['mcp__calc'] }),
    check: (outcome) => refused(outcome),
  },
  asked(
    'the mode dontAsk denies without asking',
    's04r-dontask',
    async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    (outcome) => {
      refused(outcome);
      expect(outcome.calls).toEqual([]);
    },
    {
      options: (context) => ({
        permissionMode: 'dontAsk' as PermissionMode,
        canUseTool: noting(context, async (_, input) => ({ behavior: 'allow', updatedInput: input })),
      }),
    },
  ),
  withOptions('prompts are switched off', 's04r-prompts-none', { permissionPrompts: 'none' }, (outcome) =>
    refused(outcome),
  ),
  asked(
    'a built-in tool asks too',
    's04-can-use-tool-builtin',
    async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    (outcome) => {
      expect(outcome.calls).toMatchObject([{ name: 'canUseTool', input: { tool: 'Bash' } }]);
      expect(toolResults(outcome)).toMatchObject([{ content: 'touched' }]);
    },
    {
      script: [toolUse('Bash', { command: 'touch here && echo touched' }), text('Done.')],
    },
  ),
  asked(
    'two calls of one message ask one after the other',
    's04r-parallel-permission-plain',
    async (_, input) => ({ behavior: 'allow', updatedInput: input }),
    (outcome) => {
      const order = outcome.calls.map(({ name }) => name);
      expect(order).toEqual(['canUseTool', 'add', 'canUseTool', 'add']);
    },
    {
      script: [
        toolUses([
          { name: 'mcp__calc__add', input: { a: 1, b: 2 } },
          { name: 'mcp__calc__add', input: { a: 3, b: 4 } },
        ]),
        text('Done.'),
      ],
      unordered: ['messages'],
    },
  ),
  {
    name: 'a call that waits for an approval does not hold up another of the same message',
    cites: 's04r-parallel-permission-ro, R16',
    script: [
      toolUses([
        { name: 'mcp__calc__look', input: { at: 1 } },
        { name: 'mcp__calc__look', input: { at: 2 } },
      ]),
      text('Done.'),
    ],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const look = tool(
        'look',
        'Looks at something',
        { at: z.number() },
        async ({ at }) => {
          context.note('look', at);
          return textResult(`seen ${at}`);
        },
        { annotations: { readOnlyHint: true } },
      );
      return {
        calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [look], alwaysLoad: true }),
      };
    },
    options: (context) => ({
      canUseTool: async (_, input) => {
        context.note('asked', input.at);
        // The first one is approved when the result of the second has been read.
        if (input.at === 1) {
          await context.messages.waitFor(
            (message) => JSON.stringify(message).includes('seen 2'),
            'the other',
          );
        }
        return { behavior: 'allow', updatedInput: input };
      },
    }),
    unordered: ['stdin'],
    check: (outcome) => {
      const order = outcome.calls.map(({ name, input }) => `${name} ${input}`);
      expect(order).toEqual(['asked 1', 'asked 2', 'look 2', 'look 1']);
      expect(toolResults(outcome)).toHaveLength(2);
    },
  },
];

/** Hooks: when they are called, what they are told, and what their answers do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { HookCallback, HookEvent, HookJSONOutput, Options } from '../../../src/index.js';
import { text, toolUse, toolUses } from '../../../src/testing/index.js';
import { calc, kinds, results, textResult, toolResults } from '../support/calc.js';
import { talk } from '../support/known-files.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const oneCall = [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('Done.')];

/** A callback that notes what it was told and gives this answer. */
function answering(
  context: Context,
  answer: HookJSONOutput | (() => HookJSONOutput | Promise<HookJSONOutput>),
): HookCallback {
  return async (input, toolUseId, { signal }) => {
    const known = toolUseId?.startsWith('toolu_') ? toolUseId : '<random>';
    context.note(input.hook_event_name, { ...input, toolUseId: known, aborted: signal.aborted });
    return typeof answer === 'function' ? answer() : answer;
  };
}

/** One call, and one hook on one event. */
function hooked(
  name: string,
  cites: string,
  event: HookEvent,
  answer: Parameters<typeof answering>[1],
  check: (outcome: Outcome) => void,
  more: Partial<Scenario> & { timeout?: number; onFailure?: 'block' } = {},
): Scenario {
  const { timeout, onFailure, ...rest } = more;
  return {
    name,
    cites,
    script: oneCall,
    servers: calc,
    options: (context): Options => ({
      allowedTools: ['mcp__calc__*'],
      hooks: {
        [event]: [
          {
            hooks: [answering(context, answer)],
            ...(timeout === undefined ? {} : { timeout }),
            ...(onFailure === undefined ? {} : { onFailure }),
          },
        ],
      },
    }),
    check,
    ...rest,
  };
}

function added(outcome: Outcome): unknown[] {
  return outcome.calls.filter(({ name }) => name === 'add').map(({ input }) => input);
}

const names = (outcome: Outcome) => outcome.calls.map(({ name }) => name);

const PRE = (fields: object): HookJSONOutput => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields },
});

export const hooks: readonly Scenario[] = [
  {
    name: 'all seven events',
    cites: 's05-all-hooks, R22',
    script: [
      toolUses([{ name: 'mcp__calc__add', input: { a: 15, b: 27 } }, { name: 'mcp__calc__boom' }]),
      text('Done.'),
    ],
    servers: ({ sdk: { tool, createSdkMcpServer } }) => {
      const add = tool('add', 'Adds', {}, async () => textResult('42'));
      const boom = tool('boom', 'Throws', {}, async () => {
        throw new Error('kaboom');
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [add, boom] }) };
    },
    options: (context) => {
      const say = [{ hooks: [answering(context, {})] }];
      return {
        allowedTools: ['mcp__calc__*'],
        hooks: {
          PreToolUse: [
            { matcher: 'mcp__calc__.*', hooks: [answering(context, {})], timeout: 7 },
            { matcher: 'Bash', hooks: [answering(context, {})] },
          ],
          PostToolUse: say,
          PostToolUseFailure: say,
          UserPromptSubmit: say,
          Stop: say,
          SessionStart: say,
          SessionEnd: say,
        },
      };
    },
    // Hooks of the second call may be asked before the first call is done.
    unordered: ['stdin', 'messages', 'calls'],
    check: (outcome) => {
      const seen = names(outcome);
      expect(seen[0]).toBe('UserPromptSubmit');
      expect(seen.at(-1)).toBe('Stop');
      expect(seen.toSorted()).toEqual(
        [
          'PostToolUse',
          'PostToolUseFailure',
          'PreToolUse',
          'PreToolUse',
          'Stop',
          'UserPromptSubmit',
        ].toSorted(),
      );
    },
  },
  {
    name: 'a new session inside a conversation',
    cites: 's05r-session-hooks',
    script: [text('Fresh.')],
    prompt: async function* (context) {
      yield says('/clear');
      await context.messages.waitFor(({ type }) => type === 'result', 'the result of /clear');
      yield says('hello');
    },
    options: (context) => {
      const say = [{ hooks: [answering(context, {})] }];
      return { hooks: { SessionStart: say, SessionEnd: say } };
    },
    check: (outcome) => {
      expect(names(outcome)).toEqual(['SessionEnd', 'SessionStart']);
      expect(kinds(outcome.messages)).toContain('conversation_reset');
    },
  },
  {
    name: 'commands of settings at the beginning and the end of sessions',
    cites: 's05r-session-hooks, R22',
    script: [text('One.'), text('Two.')],
    prompt: talk('one', '/clear', 'two'),
    options: (context) => {
      const log = join(context.box.home, 'hooks.log');
      const note = [{ hooks: [{ type: 'command' as const, command: `cat >> ${log} && echo >> ${log}` }] }];
      context.defer(() => {
        for (const line of readFileSync(log, 'utf8')
          .split('\n')
          .filter((each) => each !== '')) {
          const input = JSON.parse(line);
          context.note(input.hook_event_name, input);
        }
      });
      return { tools: [], settings: { hooks: { SessionStart: note, SessionEnd: note } } };
    },
    check: (outcome) => {
      const told = outcome.calls.map(({ name, input }) => {
        const { source, reason } = input as { source?: string; reason?: string };
        return `${name} ${source ?? reason}`;
      });
      expect(told).toEqual([
        'SessionStart startup',
        'SessionEnd clear',
        'SessionStart clear',
        'SessionEnd other',
      ]);
    },
  },
  {
    name: 'a command of settings says the first words of a session',
    cites: 'R22, R64',
    script: [text('One.'), text('Two.')],
    // Whether the prompt has come by the time that the first turn ends.
    leftToTiming: /^queued_turn_count$/,
    options: () => {
      const hookSpecificOutput = { hookEventName: 'SessionStart', initialUserMessage: 'FROM THE HOOK' };
      const command = `echo '${JSON.stringify({ hookSpecificOutput })}'`;
      return {
        tools: [],
        settings: { hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } },
      };
    },
    check: (outcome) => {
      expect(results(outcome).map((result) => 'result' in result && result.result)).toEqual(['One.', 'Two.']);
      const said = outcome.requests.map(({ body }) => JSON.stringify(body.messages));
      expect(said[0]).toContain('FROM THE HOOK');
      expect(said[0]).not.toContain('"go"');
      expect(said[1]).toContain('"go"');
    },
  },
  hooked(
    'a hook defers a call',
    'R22, R64',
    'PreToolUse',
    PRE({ permissionDecision: 'defer' }),
    (outcome) => {
      expect(added(outcome)).toEqual([]);
      expect(results(outcome)).toMatchObject([
        {
          subtype: 'success',
          stop_reason: 'tool_deferred',
          deferred_tool_use: { name: 'mcp__calc__add', input: { a: 15, b: 27 } },
        },
      ]);
    },
    { script: [toolUse('mcp__calc__add', { a: 15, b: 27 })] },
  ),
  hooked(
    'a hook denies a call',
    's05-pre-deny, R22, pain 31',
    'PreToolUse',
    PRE({ permissionDecision: 'deny', permissionDecisionReason: 'not on a Sunday' }),
    (outcome) => {
      expect(added(outcome)).toEqual([]);
      expect(toolResults(outcome)).toMatchObject([
        { is_error: true, content: expect.stringContaining('not on a Sunday') },
      ]);
      expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'mcp__calc__add' }] }]);
    },
  ),
  hooked(
    'a hook allows a call with another input',
    's05-pre-allow-updated-input, R22',
    'PreToolUse',
    PRE({ permissionDecision: 'allow', updatedInput: { a: 1, b: 1 } }),
    (outcome) => expect(added(outcome)).toEqual([{ a: 1, b: 1 }]),
  ),
  {
    name: 'a hook wants the host to be asked',
    cites: 's05r-pre-ask',
    script: oneCall,
    servers: calc,
    options: (context) => ({
      settings: { permissions: { allow: ['mcp__calc__add'] } },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              answering(context, PRE({ permissionDecision: 'ask', permissionDecisionReason: 'unsure' })),
            ],
          },
        ],
      },
      canUseTool: async (tool, input, { signal: _, requestId: __, ...rest }) => {
        context.note('canUseTool', { tool, input, ...rest });
        return { behavior: 'allow', updatedInput: input };
      },
    }),
    check: (outcome) => expect(names(outcome)).toEqual(['PreToolUse', 'canUseTool', 'add']),
  },
  hooked(
    'a hook adds context and replaces the output',
    's05-post-context, R22',
    'PostToolUse',
    {
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: 'The sum was checked.',
        updatedMCPToolOutput: [{ type: 'text', text: 'forty-two' }],
      },
    },
    (outcome) => {
      const told = JSON.stringify(outcome.requests[1]?.body.messages);
      expect(told).toContain('The sum was checked.');
      expect(toolResults(outcome)).toMatchObject([{ content: [{ text: 'forty-two' }] }]);
    },
  ),
  hooked(
    'a hook blocks the prompt',
    's05-prompt-block, R22',
    'UserPromptSubmit',
    { decision: 'block', reason: 'not now' },
    (outcome) => {
      expect(outcome.requests).toEqual([]);
      expect(results(outcome)).toMatchObject([{ subtype: 'success', num_turns: 0 }]);
      expect(kinds(outcome.messages)).toContain('system/informational');
    },
    { script: [] },
  ),
  {
    name: 'a hook keeps the agent from stopping',
    cites: 's05-stop-block, R22',
    script: [text('Finished.'), text('Now really.')],
    options: (context) => {
      let asked = 0;
      const once = () => (asked++ === 0 ? { decision: 'block' as const, reason: 'check again' } : {});
      return { hooks: { Stop: [{ hooks: [answering(context, once)] }] } };
    },
    check: (outcome) => {
      expect(
        outcome.calls.map(({ input }) => (input as { stop_hook_active: boolean }).stop_hook_active),
      ).toEqual([false, true]);
      expect(results(outcome)).toMatchObject([{ result: 'Now really.' }]);
    },
  },
  hooked(
    'a hook ends the turn',
    's05-hook-continue-false',
    'PostToolUse',
    { continue: false, stopReason: 'that will do' },
    (outcome) => {
      expect(outcome.requests).toHaveLength(1);
      expect(results(outcome)).toMatchObject([{ subtype: 'success', terminal_reason: 'hook_stopped' }]);
    },
    { script: [oneCall[0]!] },
  ),
  hooked(
    'a hook throws',
    's05-hook-throws',
    'PreToolUse',
    () => {
      throw new Error('the hook is broken');
    },
    // Whether the tool runs is where the clients differ.
    (outcome) => expect(toolResults(outcome)).toHaveLength(1),
  ),
  hooked(
    'a hook takes too long',
    's05-hook-timeout',
    'PreToolUse',
    () => new Promise<HookJSONOutput>(() => {}),
    (outcome) => {
      expect(added(outcome)).toEqual([]);
      expect(toolResults(outcome)).toMatchObject([
        { is_error: true, content: expect.stringContaining('did not respond') },
      ]);
    },
    { timeout: 1 },
  ),
  hooked(
    'a hook answers that it goes on by itself',
    's05-hook-async',
    'PreToolUse',
    { async: true, asyncTimeout: 1000 },
    (outcome) => expect(added(outcome)).toEqual([{ a: 15, b: 27 }]),
  ),
  hooked(
    'a hook throws where that must not pass',
    's05r-onfailure-block',
    'PreToolUse',
    () => {
      throw new Error('the hook is broken');
    },
    (outcome) => expect(added(outcome)).toEqual([]),
    { onFailure: 'block' },
  ),
  hooked(
    'a hook returns nothing',
    'protocol 8',
    'PreToolUse',
    () => undefined as never,
    (outcome) => expect(added(outcome)).toEqual([{ a: 15, b: 27 }]),
  ),
];

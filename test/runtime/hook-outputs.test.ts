/** What hooks may answer, and what comes of it: the same on the CLI and on the runtime (protocol.md §8). */
import { describe, expect, test } from 'vitest';
import type {
  CanUseTool,
  HookCallback,
  HookEvent,
  HookInput,
  Options,
  SyncHookJSONOutput,
} from '../../src/index.js';
import { type Script, text, toolUse, toolUses } from '../../src/testing/index.js';
import { BACK_ENDS, converse, type Outcome, told } from './back-ends.js';

const write = toolUse('mcp__s__write', { x: 1 });
const once: Script = [write, text('Done.')];
const allowed: Options = { allowedTools: ['mcp__s'] };

const on = (event: HookEvent, callback: HookCallback | SyncHookJSONOutput): Options => ({
  hooks: { [event]: [{ hooks: [typeof callback === 'function' ? callback : async () => callback] }] },
});
const pre = (output: object): Options =>
  on('PreToolUse', { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } });
const post = (output: object): Options =>
  on('PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', ...output } });

const decisionOf = ({ messages }: Outcome) =>
  messages.flatMap(
    (message) => (message.tool_result_meta as { permission_decision?: unknown }[] | undefined) ?? [],
  )[0]?.permission_decision;
const said = ({ api }: Outcome, index = 1) => JSON.stringify(api.requests[index]?.body.messages);
const noticed = ({ messages }: Outcome) =>
  messages.filter(({ subtype }) => subtype === 'informational').map(({ content }) => content);
const denies: Options = { canUseTool: async () => ({ behavior: 'deny', message: 'The host says no.' }) };
const permits: Options = { canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }) };

describe.each(BACK_ENDS)('on %s, a PreToolUse hook', (backEnd) => {
  test('that adds context is read by the model, and by nobody before', async () => {
    const outcome = await converse(backEnd, once, { ...allowed, ...pre({ additionalContext: 'It rains.' }) });
    expect(said(outcome)).toContain('PreToolUse:mcp__s__write hook additional context: It rains.');
    expect(outcome.ran).toEqual(['write']);
  });

  test('that changes the input decides nothing else', async () => {
    const outcome = await converse(backEnd, once, { ...allowed, ...pre({ updatedInput: { x: 9 } }) });
    expect(outcome.inputs).toEqual([{ x: 9 }]);
    expect(decisionOf(outcome)).toMatchObject({ source: 'config', reason_type: 'rule' });
  });

  test('that asks has the host asked about the changed input, even where nobody is asked', async () => {
    const ask = pre({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?', updatedInput: { x: 9 } });
    const outcome = await converse(backEnd, once, {
      ...allowed,
      ...permits,
      ...ask,
      permissionMode: 'dontAsk',
    });
    expect({ asked: outcome.asked, inputs: outcome.inputs }).toEqual({
      asked: ['write'],
      inputs: [{ x: 9 }],
    });
  });

  // The types ask for promises, as the official ones do; a program without types may answer directly.
  test('and canUseTool may answer without a promise', async () => {
    const direct = (() => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
    })) as unknown as HookCallback;
    const decide = ((_: string, input: object) => ({
      behavior: 'allow',
      updatedInput: input,
    })) as unknown as CanUseTool;
    const outcome = await converse(backEnd, once, { ...on('PreToolUse', direct), canUseTool: decide });
    expect({ ran: outcome.ran, asked: outcome.asked }).toEqual({ ran: ['write'], asked: ['write'] });
  });

  test('that approves in the old way is a yes', async () => {
    const outcome = await converse(backEnd, once, {
      ...denies,
      ...on('PreToolUse', { decision: 'approve' }),
    });
    expect({ ran: outcome.ran, asked: outcome.asked }).toEqual({ ran: ['write'], asked: [] });
    expect(decisionOf(outcome)).toEqual({ decision: 'accept', source: 'hook', reason_type: 'hook' });
  });

  test('that blocks in the old way is a no', async () => {
    const outcome = await converse(backEnd, once, {
      ...allowed,
      ...on('PreToolUse', { decision: 'block', reason: 'Never.' }),
    });
    expect(told(outcome)).toEqual([{ text: 'PreToolUse:mcp__s__write hook error: Never.', isError: true }]);
    expect(decisionOf(outcome)).toEqual({ decision: 'reject', source: 'hook', reason_type: 'hook' });
  });

  test('that allows does not allow what plan mode forbids', async () => {
    const outcome = await converse(backEnd, once, {
      permissionMode: 'plan',
      ...pre({ permissionDecision: 'allow' }),
    });
    expect(outcome.ran).toEqual([]);
  });

  test('that defers ends the turn with the call that has not run; others of the answer have', async () => {
    const script = [toolUses([{ name: 'mcp__s__write' }, { name: 'mcp__s__read' }]), text('Next.')];
    const defer: HookCallback = async (input) =>
      (input as { tool_name: string }).tool_name === 'mcp__s__write'
        ? { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' } }
        : {};
    const outcome = await converse(backEnd, script, { ...allowed, ...on('PreToolUse', defer) }, [
      'One',
      'Two',
    ]);
    expect(outcome.ran).toEqual(['read']);
    expect(outcome.results).toMatchObject([
      {
        subtype: 'success',
        terminal_reason: 'tool_deferred',
        stop_reason: 'tool_deferred',
        result: '',
        deferred_tool_use: { name: 'mcp__s__write', input: {} },
      },
      { subtype: 'success', result: 'Next.' },
    ]);
  });

  test('says something to the host, and keeps its output to itself without any effect', async () => {
    const outcome = await converse(backEnd, once, {
      ...allowed,
      ...on('PreToolUse', { systemMessage: 'Look.', suppressOutput: true }),
    });
    expect(noticed(outcome)).toEqual(['PreToolUse:mcp__s__write says: Look.']);
    expect(outcome.ran).toEqual(['write']);
  });
});

describe.each(BACK_ENDS)('on %s, a PostToolUse hook', (backEnd) => {
  test.each<[string, object, string]>([
    ['updatedMCPToolOutput', { updatedMCPToolOutput: 'Mine.' }, 'Mine.'],
    [
      'updatedToolOutput before it',
      { updatedToolOutput: 'Mine.', updatedMCPToolOutput: 'Not mine.' },
      'Mine.',
    ],
  ])('replaces the result by %s', async (_, output, expected) => {
    const outcome = await converse(backEnd, once, { ...allowed, ...post(output) });
    expect(told(outcome)).toEqual([{ text: expected, isError: false }]);
  });

  test('adds context, and complains of what has already happened', async () => {
    const outcome = await converse(backEnd, once, {
      ...allowed,
      hooks: {
        PostToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It rained.' },
              }),
              async () => ({ decision: 'block', reason: 'Not like this.' }),
            ],
          },
        ],
      },
    });
    expect(said(outcome)).toContain('PostToolUse:mcp__s__write hook additional context: It rained.');
    expect(said(outcome)).toMatch(/PostToolUse:mcp__s__write hook blocking error.*Not like this\./);
    expect(told(outcome)).toMatchObject([{ isError: false }]);
  });

  test('that ends the turn leaves the result in it', async () => {
    const outcome = await converse(backEnd, once, { ...allowed, ...on('PostToolUse', { continue: false }) });
    expect(outcome.results).toMatchObject([
      { subtype: 'success', terminal_reason: 'hook_stopped', result: '' },
    ]);
    expect(outcome.api.requests).toHaveLength(1);
  });
});

describe.each(BACK_ENDS)('on %s, a hook', (backEnd) => {
  test('on a prompt that stops has the prompt kept and unanswered', async () => {
    let isFirst = true;
    const stop: HookCallback = async () => {
      const answer = isFirst ? { continue: false, stopReason: 'Not yet.' } : {};
      isFirst = false;
      return answer;
    };
    const outcome = await converse(backEnd, [text('Now.')], on('UserPromptSubmit', stop), ['One?', 'Two?']);
    expect(outcome.results).toMatchObject([
      { subtype: 'success', num_turns: 0, result: 'Operation stopped by hook: Not yet.' },
      { result: 'Now.' },
    ]);
    expect(outcome.results[0]).not.toHaveProperty('terminal_reason');
    expect(noticed(outcome)).toEqual(['Operation stopped by hook: Not yet.']);
    expect(said(outcome, 0)).toMatch(/One\?.*Two\?/);
  });

  test('at the end that stops is named by the result, which keeps its words', async () => {
    const outcome = await converse(backEnd, [text('Done.')], on('Stop', { continue: false }));
    expect(outcome.results).toMatchObject([{ terminal_reason: 'stop_hook_prevented', result: 'Done.' }]);
  });

  test('at the end that adds context has the model go on', async () => {
    const active: boolean[] = [];
    const stop: HookCallback = async (input) => {
      const { stop_hook_active } = input as { stop_hook_active: boolean };
      active.push(stop_hook_active);
      return stop_hook_active
        ? { systemMessage: 'Fine.' }
        : { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'Look again.' } };
    };
    const outcome = await converse(backEnd, [text('Done.'), text('Really.')], on('Stop', stop));
    expect(active).toEqual([false, true]);
    expect(said(outcome)).toContain('Stop hook additional context: Look again.');
    expect(noticed(outcome)).toEqual(['Stop says: Fine.']);
    expect(outcome.results).toMatchObject([{ result: 'Really.' }]);
  });

  test('at the end hears of a structured answer, and cannot undo it (pain 39)', async () => {
    const heard: HookInput[] = [];
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const outcome = await converse(backEnd, [toolUse('StructuredOutput', { n: 1 })], {
      outputFormat: { type: 'json_schema', schema },
      ...on('Stop', async (input) => {
        heard.push(input);
        return { decision: 'block', reason: 'Again.' };
      }),
    });
    expect(heard).toMatchObject([{ hook_event_name: 'Stop', stop_hook_active: false }]);
    expect(outcome.results).toMatchObject([{ subtype: 'success', structured_output: { n: 1 } }]);
    expect(outcome.api.requests).toHaveLength(1);
  });
});

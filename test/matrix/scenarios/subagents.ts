/** Subagents at work: in the foreground and in the background, beside and below each other, and how they end. */
import { expect } from 'vitest';
import {
  apiError,
  blocks,
  type ScriptedRequest,
  type Step,
  text,
  toolUse,
} from '../../../src/testing/index.js';
import {
  agentBase,
  agentCall,
  agentCalls,
  HELPER,
  handedBack,
  linesOfAgents,
  plays,
  taskLines,
  untilCancelled,
  untilResult,
} from '../support/agents.js';
import { calc, kinds, results } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Scenario } from '../support/scenario.js';
import { lastTask } from '../support/steps.js';

/** The main agent sends for help; the helper adds; the main agent sums up. */
function withHelper(input: Record<string, unknown>): (request: ScriptedRequest) => Step {
  return ({ body, toolResults }) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('HELP ME') && !said.includes('MAIN PROMPT')) {
      return toolResults.length > 0 ? text('The helper is done.') : toolUse('mcp__calc__add', { a: 1, b: 2 });
    }
    if (said.includes('"tool_result"')) return text('All is done.');
    return toolUse('Agent', { description: 'Get help', prompt: 'HELP ME', ...input });
  };
}

const base = {
  prompt: 'MAIN PROMPT',
  servers: calc,
  options: () => ({ allowedTools: ['mcp__calc__*'] }),
  // Helper and main agent work at the same time.
  unordered: ['messages', 'stdin', 'model'],
  leftToTiming: /^usage\.total_tokens$/,
} as const satisfies Partial<Scenario>;

const nthResult = (context: Context, nth: number) =>
  context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);

/** One message, and another one when the first has its result. */
async function* twoMessages(context: Context) {
  yield says('MAIN PROMPT');
  await nthResult(context, 1);
  yield says('NEXT');
  await nthResult(context, 2);
}

const waiting = (context: Context, nth = 1) =>
  context.calls.waitFor(({ name }) => name === 'wait', 'the tool is called', nth);

const withWait = () => ({ ...agentBase.options(), allowedTools: ['mcp__calc__*'] });

export const subagents: readonly Scenario[] = [
  {
    ...base,
    name: 'a subagent in the foreground',
    cites: 's10-subagent-foreground, R52, pain 36',
    script: withHelper({ subagent_type: 'general-purpose', run_in_background: false }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 1, b: 2 } }]);
      expect(kinds(outcome.messages)).toContain('system/task_started');
      expect(results(outcome)).toMatchObject([{ result: 'All is done.' }]);
    },
  },
  {
    ...base,
    name: 'a subagent in the background',
    cites: 's10-subagent-background, R52, pain 17, R20',
    script: withHelper({ subagent_type: 'general-purpose', run_in_background: true }),
    // Whether the helper is done before the first result is a race of the CLI's own.
    ignore: ['messages', 'model', 'stdin'],
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 1, b: 2 } }]);
      expect(kinds(outcome.messages)).toContain('system/task_notification');
      expect(results(outcome).at(-1)).toMatchObject({ result: 'All is done.' });
    },
  },
  {
    ...base,
    name: 'a subagent that the host defines',
    cites: 'protocol 10, R52',
    script: withHelper({ subagent_type: 'helper', run_in_background: false }),
    options: () => ({
      allowedTools: ['mcp__calc__*'],
      agents: {
        helper: {
          description: 'Helps with sums',
          prompt: 'You add.',
          tools: ['mcp__calc__add'],
          model: 'inherit',
        },
      },
    }),
    check: (outcome) => {
      expect(outcome.calls).toHaveLength(1);
      const helper = outcome.requests.find(
        ({ body }) => !JSON.stringify(body.messages).includes('MAIN PROMPT'),
      );
      expect(helper?.system).toContain('You add.');
    },
  },
  {
    ...agentBase,
    name: 'what the host sees of a subagent in the foreground',
    cites: 's16-foreground, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [toolUse('Bash', { command: 'echo hi' }), toolUse('Nothing', {}), text('The last words.')],
    }),
    check: (outcome) => {
      expect(linesOfAgents(outcome)).toEqual([
        'user text',
        'assistant tool_use',
        'user tool_result',
        'assistant tool_use',
        'user tool_result',
      ]);
      expect(taskLines(outcome.messages)).toEqual([
        'task_started',
        'task_progress',
        'task_progress',
        'task_updated',
        'task_notification',
      ]);
      expect(handedBack(outcome)).toMatchObject([
        {
          status: 'completed',
          agentType: 'helper',
          totalToolUseCount: 2,
          totalTokens: 30,
          toolsUsed: ['Bash'],
        },
      ]);
      expect(JSON.stringify(outcome.requests.at(-1)?.toolResults)).toContain('The last words.');
      expect(results(outcome)).toMatchObject([
        { subagent_stats: { spawned: 1, completed: 1, by_type: { helper: 1 } } },
      ]);
    },
  },
  {
    ...agentBase,
    name: 'a subagent in the background, and the turn that tells of it',
    cites: 's16-background, R52',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE', { run_in_background: undefined }),
        text('launched'),
        text('heard'),
      ],
      'TASK ONE': [toolUse('mcp__calc__wait', {}), text('The last words.')],
    }),
    servers: untilResult,
    options: withWait,
    unordered: ['messages', 'model'],
    check: (outcome) => {
      expect(handedBack(outcome)).toMatchObject([{ isAsync: true, status: 'async_launched' }]);
      expect(results(outcome)).toMatchObject([
        { result: 'launched' },
        { result: 'heard', origin: { kind: 'task-notification' } },
      ]);
      expect(linesOfAgents(outcome)).toContain('assistant text');
      expect(JSON.stringify(outcome.requests.at(-1)?.messages.at(-1))).toContain('The last words.');
    },
  },
  {
    ...agentBase,
    name: 'two subagents at once',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCalls('TASK ONE', 'TASK TWO'), text('All is done.')],
      'TASK ONE': [toolUse('Bash', { command: 'echo 1' }, { id: 'toolu_one' }), text('one')],
      'TASK TWO': [toolUse('Bash', { command: 'echo 2' }, { id: 'toolu_two' }), text('two')],
    }),
    // Which of them comes first is left to chance: what each of them shows is in the check.
    ignore: ['messages', 'model'],
    check: (outcome) => {
      expect(handedBack(outcome)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
      // The first may have got somewhere before the second has begun.
      const begun = taskLines(outcome.messages).filter((line) => line === 'task_started');
      expect(begun).toEqual(['task_started', 'task_started']);
      expect(linesOfAgents(outcome).toSorted()).toEqual(
        ['assistant tool_use', 'user text', 'user tool_result'].flatMap((line) => [line, line]),
      );
    },
  },
  {
    ...agentBase,
    name: 'subagents of subagents, down to the last one that may',
    cites: 's16-nested, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [agentCall('TASK TWO'), text('one')],
      'TASK TWO': [agentCall('TASK THREE'), text('two')],
      'TASK THREE': [agentCall('TASK FOUR'), text('three')],
    }),
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subagent_stats: { spawned: 3, max_depth: 3 } }]);
      expect(linesOfAgents(outcome)).toEqual(['user text', 'assistant tool_use', 'user tool_result']);
    },
  },
  {
    ...agentBase,
    name: 'the words of subagents are forwarded',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [agentCall('TASK TWO'), text('one')],
      'TASK TWO': [text('two')],
    }),
    options: () => ({ ...agentBase.options(), forwardSubagentText: true }),
    check: (outcome) =>
      expect(linesOfAgents(outcome).filter((line) => line === 'assistant text')).toHaveLength(2),
  },
  {
    ...agentBase,
    name: 'a subagent whose model fails',
    cites: 's16-api-error, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [apiError(400, 'invalid_request_error', 'the model is on fire')],
    }),
    // The CLI tries again.
    ignore: ['model'],
    check: (outcome) => {
      expect(JSON.stringify(handedBack(outcome))).toContain('the model is on fire');
      expect(results(outcome)).toMatchObject([{ result: 'All is done.', subagent_stats: { failed: 1 } }]);
    },
  },
  {
    ...agentBase,
    name: 'a subagent that reaches its limit of turns',
    cites: 's16-max-turns, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [blocks([text('so far'), toolUse('Bash', { command: 'echo hi' })]), text('never said')],
    }),
    options: () => ({ ...agentBase.options(), agents: { helper: { ...HELPER, maxTurns: 1 } } }),
    check: (outcome) => {
      expect(handedBack(outcome)).toMatchObject([
        { status: 'completed', content: [{}, {}, { text: 'so far' }] },
      ]);
    },
  },
  {
    ...agentBase,
    name: 'an interrupt ends the subagents that somebody waits for',
    cites: 's16-interrupt, R52, pain 36',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('still here')],
      'TASK ONE': [agentCall('TASK TWO'), text('one')],
      'TASK TWO': [toolUse('mcp__calc__wait', {}), text('two')],
    }),
    servers: untilCancelled,
    options: withWait,
    prompt: twoMessages,
    drive: async (query, context) => {
      await waiting(context);
      return query.interrupt();
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([
        { terminal_reason: 'aborted_tools' },
        { result: 'still here' },
      ]);
    },
  },
  {
    ...agentBase,
    name: 'an interrupt ends subagents in the background too',
    cites: 'builtin-tools 5, R52, pain 36',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE', { run_in_background: true }),
        toolUse('mcp__calc__wait', {}),
        text('still here'),
      ],
      'TASK ONE': [toolUse('mcp__calc__wait', {}), text('one')],
    }),
    servers: untilCancelled,
    options: withWait,
    prompt: twoMessages,
    // Main agent and helper go on at the same time: what each of them shows is in the check.
    ignore: ['messages', 'model'],
    drive: async (query, context) => {
      await waiting(context, 2);
      return query.interrupt();
    },
    check: (outcome) => {
      expect(taskLines(outcome.messages).slice(-2)).toEqual(['task_updated', 'task_notification']);
      expect(results(outcome)).toMatchObject([{}, { result: 'still here' }]);
    },
  },
  {
    ...agentBase,
    name: 'a subagent in the background that the host stops',
    cites: 's16-stop-task, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE', { run_in_background: true }), text('launched'), text('heard')],
      'TASK ONE': [toolUse('mcp__calc__wait', {}), text('one')],
    }),
    servers: untilCancelled,
    options: withWait,
    unordered: ['messages', 'model'],
    drive: async (query, context) => {
      await waiting(context);
      await nthResult(context, 1);
      return query.stopTask(startedTask(context));
    },
    check: (outcome) => expect(results(outcome)).toMatchObject([{ result: 'launched' }, { result: 'heard' }]),
  },
  {
    ...agentBase,
    name: 'a subagent in the background that the main agent stops',
    cites: 'builtin-tools 5, R52',
    script: (request) => {
      const isMain = JSON.stringify(request.body.messages).includes('MAIN PROMPT');
      const steps = [
        agentCall('TASK ONE', { run_in_background: true }),
        toolUse('mcp__calc__begun', {}, { id: 'toolu_begun' }),
        toolUse('TaskStop', { task_id: lastTask(request) }, { id: 'toolu_stop' }),
        text('stopped'),
        text('heard'),
      ];
      const answers = request.messages.filter(({ role }) => role === 'assistant').length;
      return isMain ? (steps[answers] as Step) : toolUse('mcp__calc__wait', {}, { id: 'toolu_wait' });
    },
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const wait = tool('wait', 'Waits', {}, async (_, extra) => {
        context.note('wait');
        const { signal } = extra as { signal: AbortSignal };
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return { content: [] };
      });
      const begun = tool('begun', 'Returns when the helper waits', {}, async () => {
        await waiting(context);
        return { content: [{ type: 'text' as const, text: 'it waits' }] };
      });
      const tools = [wait, begun];
      return { calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools, alwaysLoad: true }) };
    },
    options: withWait,
    // Main agent and helper go on at the same time: what each of them shows is in the check.
    ignore: ['messages', 'model'],
    check: (outcome) => {
      // The end of the helper is told with the result of the call, or in a turn of its own.
      expect(results(outcome)[0]).toMatchObject({ result: 'stopped' });
      expect(JSON.stringify(outcome.requests.at(-1)?.messages)).toContain('<status>killed</status>');
    },
  },
  {
    ...agentBase,
    name: 'a subagent that the host stops while a call waits for it',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('went on')],
      'TASK ONE': [toolUse('mcp__calc__wait', {}), text('one')],
    }),
    servers: untilCancelled,
    options: withWait,
    drive: async (query, context) => {
      await waiting(context);
      return query.stopTask(startedTask(context));
    },
    check: (outcome) => expect(results(outcome)).toMatchObject([{ result: 'went on' }]),
  },
  {
    ...agentBase,
    name: 'a subagent that the host moves to the background',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('moved on'), text('heard')],
      'TASK ONE': [toolUse('mcp__calc__wait', {}), text('one')],
    }),
    servers: untilResult,
    options: withWait,
    drive: async (query, context) => {
      await waiting(context);
      return query.backgroundTasks();
    },
    check: (outcome) => {
      expect(handedBack(outcome)).toMatchObject([{ status: 'async_launched' }]);
      expect(results(outcome)).toMatchObject([{ result: 'moved on' }, { result: 'heard' }]);
    },
  },
];

function startedTask({ messages }: Context): string {
  const started = messages.entries.find(
    (message) => message.type === 'system' && message.subtype === 'task_started',
  ) as { task_id: string };
  return started.task_id;
}

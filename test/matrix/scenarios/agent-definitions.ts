/** Who subagents are: where they are defined, what they may do, and who hears of it. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.js';
import { agentBase, agentCall, HELPER, handedBack, plays, requestsOf } from '../support/agents.js';
import { calc, results } from '../support/calc.js';
import { writeFiles } from '../support/files.js';
import type { Context, Scenario } from '../support/scenario.js';

const asksFor = (context: Context) => ({
  canUseTool: async (name: string, input: Record<string, unknown>, { agentID }: { agentID?: string }) => {
    context.note('asked', { name, input, agentID });
    return { behavior: 'deny' as const, message: 'not today' };
  },
});

const noted = (context: Context, event: string, answer: object = {}) => [
  {
    hooks: [
      async (input: object) => {
        context.note(event, input);
        return answer;
      },
    ],
  },
];

export const agentDefinitions: readonly Scenario[] = [
  {
    ...agentBase,
    name: 'subagents that do not exist, and one that is barred',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE', { subagent_type: 'nobody' }),
        agentCall('TASK ONE'),
        agentCall('TASK ONE', { subagent_type: 'Explore' }),
        toolUse('Agent', { prompt: 'TASK ONE' }),
        text('All is done.'),
      ],
    }),
    options: () => ({ ...agentBase.options(), disallowedTools: ['Agent(helper)', 'Task(Explore)'] }),
    check: (outcome) => {
      expect(String(handedBack(outcome)[0])).toContain('general-purpose');
      expect(results(outcome)).toMatchObject([{ permission_denials: [], subagent_stats: { spawned: 0 } }]);
    },
  },
  {
    ...agentBase,
    name: 'subagents of files',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE', { subagent_type: 'filed' }),
        agentCall('TASK TWO', { subagent_type: 'of-the-user' }),
        agentCall('TASK THREE', { subagent_type: 'inner' }),
        agentCall('TASK FOUR', { subagent_type: 'nameless' }),
        text('All is done.'),
      ],
      'TASK ONE': [text('one')],
      'TASK TWO': [text('two')],
      'TASK THREE': [text('three')],
    }),
    servers: ({ box }) => {
      const agent = (head: string, prompt: string) => `---\n${head}\n---\n${prompt}\n`;
      writeFiles(join(box.cwd, '.claude/agents'), {
        'filed.md': agent(
          'name: filed\ndescription: d\ntools: Read, Bash\nmodel: haiku',
          'From the project.',
        ),
        'deep/inner.md': agent('name: inner\ndescription: d\nmodel: inherit', 'From a folder.'),
        'nameless.md': agent('description: d', 'Never used.'),
        'helper.md': agent('name: helper\ndescription: d', 'Hidden by the host.'),
      });
      writeFiles(join(box.configDir, 'agents'), {
        'own.md': agent('name: of-the-user\ndescription: d\ndisallowedTools: Bash, Write', 'From the user.'),
      });
      return {};
    },
    options: () => ({ ...agentBase.options(), settingSources: ['user', 'project'] }),
    check: (outcome) => {
      const [one, two, three] = ['TASK ONE', 'TASK TWO', 'TASK THREE'].map(
        (task) => requestsOf(outcome, task)[0],
      );
      expect(one?.body.model).toBe('claude-haiku-5-5');
      expect(one?.system).toContain('From the project.');
      expect(
        one?.tools
          .map(({ name }) => name)
          .filter((name) => name !== 'DeferredToolPlaceholder')
          .sort(),
      ).toEqual(['Bash', 'Read']);
      expect(two?.system).toContain('From the user.');
      expect(two?.tools.map(({ name }) => name)).not.toContain('Write');
      expect(three?.system).toContain('From a folder.');
      expect(String(handedBack(outcome)[3])).toContain('nameless');
    },
  },
  {
    ...agentBase,
    name: 'models of subagents',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE', { model: 'haiku' }),
        agentCall('TASK TWO', { subagent_type: 'own' }),
        agentCall('TASK THREE', { subagent_type: 'own', model: 'haiku' }),
        agentCall('TASK FOUR', { subagent_type: 'inheriting' }),
        text('All is done.'),
      ],
      'TASK ONE': [text('1')],
      'TASK TWO': [text('2')],
      'TASK THREE': [text('3')],
      'TASK FOUR': [text('4')],
    }),
    options: () => ({
      ...agentBase.options(),
      model: 'claude-sonnet-5-5',
      agents: {
        helper: HELPER,
        own: { ...HELPER, model: 'opus' },
        inheriting: { ...HELPER, model: 'inherit' },
      },
    }),
    check: (outcome) => {
      const models = ['ONE', 'TWO', 'THREE', 'FOUR'].map(
        (name) => requestsOf(outcome, `TASK ${name}`)[0]?.body.model,
      );
      expect(models).toEqual([
        'claude-haiku-5-5',
        'claude-opus-5-5',
        'claude-haiku-5-5',
        'claude-sonnet-5-5',
      ]);
    },
  },
  {
    ...agentBase,
    name: 'tools, mode and place of subagents are their own',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [
        agentCall('TASK ONE'),
        agentCall('TASK TWO', { subagent_type: 'apart' }),
        text('launched'),
        text('heard'),
      ],
      'TASK ONE': [
        toolUse('Bash', { command: 'touch made.txt' }),
        toolUse('Write', { file_path: 'a.txt', content: 'x' }),
        toolUse('mcp__calc__add', { a: 1, b: 2 }),
        text('one'),
      ],
      'TASK TWO': [toolUse('Bash', { command: 'echo hi' }), text('two')],
    }),
    servers: calc,
    options: () => ({
      ...agentBase.options(),
      allowedTools: ['mcp__calc__*'],
      agents: {
        helper: { ...HELPER, disallowedTools: ['Write'], permissionMode: 'acceptEdits' as const },
        apart: { ...HELPER, tools: [], background: true },
      },
    }),
    ignore: ['messages', 'model'],
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 1, b: 2 } }]);
      expect(handedBack(outcome)).toMatchObject([
        { status: 'completed', toolsUsed: ['Bash', 'mcp__calc__add'] },
        { status: 'async_launched' },
      ]);
      expect(requestsOf(outcome, 'TASK TWO')[0]?.tools).toEqual([]);
    },
  },
  {
    ...agentBase,
    name: 'a subagent asks for permission',
    cites: 's16-foreground, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [toolUse('Bash', { command: 'touch made.txt' }), text('one')],
    }),
    options: (context) => ({ ...agentBase.options(), ...asksFor(context) }),
    check: (outcome) => {
      expect(outcome.calls).toMatchObject([
        { name: 'asked', input: { agentID: expect.stringMatching(/^a/) } },
      ]);
      expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'Bash' }] }]);
    },
  },
  {
    ...agentBase,
    name: 'nobody can be asked for a subagent',
    cites: 'builtin-tools 4, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [toolUse('Bash', { command: 'touch made.txt' }), text('one')],
    }),
    check: ({ messages }) =>
      expect(messages).toContainEqual(
        expect.objectContaining({ subtype: 'permission_denied', agent_id: expect.stringMatching(/^a/) }),
      ),
  },
  {
    ...agentBase,
    name: 'hooks around a subagent, and in it',
    cites: 's16-foreground, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('TASK ONE'), text('All is done.')],
      'TASK ONE': [toolUse('Bash', { command: 'echo hi' }), text('first end'), text('second end')],
    }),
    options: (context) => {
      let ends = 0;
      const start = {
        hookSpecificOutput: { hookEventName: 'SubagentStart' as const, additionalContext: 'Mind the gap.' },
      };
      return {
        ...agentBase.options(),
        hooks: {
          SubagentStart: noted(context, 'SubagentStart', start),
          SubagentStop: [
            {
              hooks: [
                async (input: object) => {
                  context.note('SubagentStop', input);
                  ends += 1;
                  return ends === 1 ? { decision: 'block' as const, reason: 'not yet' } : {};
                },
              ],
            },
          ],
          PreToolUse: noted(context, 'PreToolUse'),
          PostToolUse: noted(context, 'PostToolUse'),
        },
      };
    },
    check: (outcome) => {
      expect(outcome.calls.map(({ name }) => name)).toEqual([
        'PreToolUse',
        'SubagentStart',
        'PreToolUse',
        'PostToolUse',
        'SubagentStop',
        'SubagentStop',
        'PostToolUse',
      ]);
      const [, start, before, , stop, again] = outcome.calls;
      expect(start?.input).toMatchObject({ agent_type: 'helper', agent_id: expect.any(String) });
      expect(before?.input).toMatchObject({ agent_type: 'helper', tool_name: 'Bash' });
      expect(stop?.input).toMatchObject({ last_assistant_message: 'first end', stop_hook_active: false });
      expect(again?.input).toMatchObject({ last_assistant_message: 'second end', stop_hook_active: true });
      expect(JSON.stringify(requestsOf(outcome, 'TASK ONE')[0]?.body)).toContain('Mind the gap.');
      expect(handedBack(outcome)).toMatchObject([{ status: 'completed' }]);
    },
  },
  {
    ...agentBase,
    name: 'an agent that leads the conversation',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [toolUse('Write', { file_path: 'a.txt', content: 'x' }), text('All is done.')],
    }),
    options: () => ({
      ...agentBase.options(),
      agent: 'leader',
      agents: {
        helper: HELPER,
        leader: { description: 'd', prompt: 'You lead.', tools: ['Bash', 'Task'], model: 'haiku' },
      },
    }),
    check: (outcome) => {
      expect(outcome.messages).toContainEqual(
        expect.objectContaining({ subtype: 'init', tools: ['Bash', 'Task'], model: 'claude-haiku-5-5' }),
      );
      expect(outcome.requests[0]?.system).toContain('You lead.');
    },
  },
  {
    ...agentBase,
    name: 'an agent that leads the conversation begins it',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [text('unused'), text('Then yours.')],
      'MY OWN BEGINNING': [text('Mine first.')],
    }),
    options: () => ({
      ...agentBase.options(),
      agent: 'leader',
      agents: { leader: { description: 'd', prompt: 'You lead.', initialPrompt: 'MY OWN BEGINNING' } },
    }),
    check: (outcome) =>
      expect(results(outcome)).toMatchObject([{ result: 'Mine first.' }, { result: 'Then yours.' }]),
  },
];

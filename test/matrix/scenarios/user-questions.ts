/** What only a person can answer: questions of the model, and whether a plan is good. */
import { expect } from 'vitest';
import type { CanUseTool, PermissionResult } from '../../../src/index.js';
import { type ScriptStep, text, toolUse } from '../../../src/testing/index.js';
import { results } from '../support/calc.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';
import { inOrder } from '../support/steps.js';

const COLOURS = [
  { label: 'Red', description: 'r' },
  { label: 'Blue', description: 'b' },
];

const ask = (more: Record<string, unknown> = {}): ScriptStep =>
  toolUse('AskUserQuestion', {
    questions: [
      { question: 'Which colour?', header: 'Colour', options: COLOURS, multiSelect: false, ...more },
    ],
  });

type Answers = (input: Record<string, unknown>) => PermissionResult;

/** Answers the questions in order, and notes what was asked. */
function answering(context: Context, ...answers: readonly Answers[]): CanUseTool {
  let asked = 0;
  return (name, input, { signal: _, requestId: __, ...more }) => {
    context.note(name, { input, more });
    return Promise.resolve(
      answers[asked++]?.(input) ?? { behavior: 'deny', message: 'There are no more answers.' },
    );
  };
}

const allow: Answers = (input) => ({ behavior: 'allow', updatedInput: input });
const deny: Answers = () => ({ behavior: 'deny', message: 'nobody is here' });
const answer =
  (value: unknown, more: Record<string, unknown> = {}): Answers =>
  (input) => ({
    behavior: 'allow',
    updatedInput: { ...input, answers: { 'Which colour?': value }, ...more },
  });

const told = (outcome: Outcome): unknown[] =>
  outcome.messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));

export const userQuestions: readonly Scenario[] = [
  {
    name: 'questions of the model',
    cites: 's15-ask-user-question, R54',
    script: [
      ask(),
      ask({ multiSelect: true }),
      ask(),
      ask(),
      ask(),
      ask({ options: COLOURS.slice(1) }),
      toolUse('AskUserQuestion', {}),
      toolUse('AskUserQuestion', { questions: [] }),
      ask({ options: [...COLOURS, ...COLOURS] }),
      text('done'),
    ],
    options: (context) => ({
      tools: ['AskUserQuestion'],
      // Asked all the same.
      allowedTools: ['AskUserQuestion'],
      canUseTool: answering(
        context,
        answer('Blue'),
        answer(['Red', 'Blue']),
        answer('something else', { annotations: { 'Which colour?': { notes: 'of the sea' } } }),
        allow,
        deny,
      ),
    }),
    check: (outcome) => {
      expect(outcome.calls).toHaveLength(5);
      expect(told(outcome)).toMatchObject([
        { answers: { 'Which colour?': 'Blue' } },
        { answers: { 'Which colour?': ['Red', 'Blue'] } },
        { answers: { 'Which colour?': 'something else' }, annotations: {} },
        { answers: {} },
        'Error: nobody is here',
        expect.any(String),
        expect.any(String),
        expect.any(String),
        expect.any(String),
      ]);
      expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'AskUserQuestion' }] }]);
    },
  },
  {
    name: 'a question that nobody can be asked',
    cites: 'builtin-tools 1, R54',
    script: [ask(), toolUse('ExitPlanMode', {}), text('done')],
    check: (outcome) => {
      expect(told(outcome)).toEqual([
        expect.stringContaining('No such tool available: AskUserQuestion'),
        expect.stringContaining('No such tool available: ExitPlanMode'),
      ]);
    },
  },
  {
    name: 'a plan that is approved at the second try',
    cites: 's15-plan-mode, R54, R51',
    script: inOrder(
      toolUse('EnterPlanMode', {}),
      toolUse('ExitPlanMode', {}),
      toolUse('ExitPlanMode', {}),
      toolUse('ExitPlanMode', {}),
      text('done'),
    ),
    options: (context) => ({
      tools: ['EnterPlanMode', 'ExitPlanMode'],
      canUseTool: answering(context, deny, allow),
    }),
    check: (outcome) => {
      expect(outcome.calls.map(({ name }) => name)).toEqual(['ExitPlanMode', 'ExitPlanMode']);
      expect(told(outcome)).toMatchObject([
        { message: expect.any(String) },
        'Error: nobody is here',
        { plan: null, isAgent: false, filePath: expect.stringContaining('/plans/') },
        expect.any(String),
      ]);
      const modes = outcome.messages.flatMap((message) =>
        message.type === 'system' && message.subtype === 'status' ? [message.permissionMode] : [],
      );
      expect(modes).toEqual(['plan', 'default']);
    },
  },
  {
    name: 'a plan that is approved together with another mode',
    cites: 's15-plan-mode, builtin-tools 4, R54, R51',
    script: inOrder(toolUse('ExitPlanMode', {}), text('done')),
    options: (context) => ({
      tools: ['EnterPlanMode', 'ExitPlanMode'],
      permissionMode: 'plan',
      canUseTool: answering(context, (input) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      })),
    }),
    check: (outcome) => {
      const modes = outcome.messages.flatMap((message) =>
        message.type === 'system' && message.subtype === 'status' ? [message.permissionMode] : [],
      );
      expect(modes).toEqual(['acceptEdits']);
    },
  },
  {
    claudeCodeOnly: 'The runtime has no tool to write files.',
    name: 'a plan in its file, and as the user has edited it',
    cites: 's15-plan-mode, R54, R51',
    script: inOrder(
      ({ body }) =>
        toolUse('Write', {
          file_path: /\/[^\s`"']*\/plans\/[\w-]+\.md/.exec(JSON.stringify(body))?.[0],
          content: '# A plan',
        }),
      toolUse('Write', { file_path: 'other.txt', content: 'x' }),
      toolUse('ExitPlanMode', {}),
      text('done'),
    ),
    options: (context) => ({
      tools: ['EnterPlanMode', 'ExitPlanMode', 'Read', 'Write'],
      permissionMode: 'plan',
      canUseTool: answering(context, deny, (input) => ({
        behavior: 'allow',
        updatedInput: { ...input, plan: '# A better plan' },
      })),
    }),
    check: (outcome) => {
      expect(outcome.calls).toMatchObject([
        { name: 'Write' },
        { name: 'ExitPlanMode', input: { input: { plan: '# A plan', planFilePath: expect.any(String) } } },
      ]);
      expect(told(outcome).at(-1)).toMatchObject({ plan: '# A better plan', planWasEdited: true });
    },
  },
];

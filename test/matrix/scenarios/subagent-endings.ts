/** What hosts and agents learn of subagents that end together, that stop, or that were not allowed to begin. */
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { blocks, delay, type ScriptedRequest, type Step, text, toolUse } from '../../../src/testing/index.js';
import { agentBase, agentCall, HELPER, handedBack, plays } from '../support/agents.js';
import { results } from '../support/calc.js';
import type { Scenario } from '../support/scenario.js';

const background = (prompt: string) =>
  toolUse('Agent', {
    description: prompt,
    prompt,
    subagent_type: 'helper',
    run_in_background: true,
  });

/** Two helpers that are done before the main agent has answered. */
function withTwoHelpers(): (request: ScriptedRequest) => Step {
  let answers = 0;
  return ({ body }) => {
    const said = JSON.stringify(body.messages);
    if (!said.includes('MAIN PROMPT')) return text(said.includes('TASK ONE') ? 'ONE IS DONE' : 'TWO IS DONE');
    answers += 1;
    if (answers === 1) return blocks([background('TASK ONE'), background('TASK TWO')]);
    return answers === 2 ? delay(1500, text('They work.')) : text('All is done.');
  };
}

const denies: Options['hooks'] = {
  PreToolUse: [
    {
      hooks: [
        async () => ({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'no helpers today',
          },
        }),
      ],
    },
  ],
};

export const subagentEndings: readonly Scenario[] = [
  {
    ...agentBase,
    name: 'two subagents in the background that end together are told of in one turn',
    cites: 'builtin-tools 5, s16-background, R52',
    get script() {
      return withTwoHelpers();
    },
    // The helpers work at the same time as the main agent.
    ignore: ['messages', 'model', 'stdin'],
    check: (outcome) => {
      const started = outcome.messages.flatMap((message) =>
        message.type === 'system' && message.subtype === 'task_started' ? [message.description] : [],
      );
      expect(started).toEqual(['TASK ONE', 'TASK TWO']);
      expect(results(outcome)).toMatchObject([
        { result: 'They work.' },
        { result: '', num_turns: 0, origin: { kind: 'task-notification' } },
        { result: 'All is done.', num_turns: 1, origin: { kind: 'task-notification' } },
      ]);
      const last = JSON.stringify(outcome.requests.at(-1)?.body.messages);
      for (const words of ['ONE IS DONE', 'TWO IS DONE']) expect(last).toContain(words);
    },
  },
  {
    ...agentBase,
    name: 'a hook hears of the news of a subagent as of a prompt',
    cites: 'builtin-tools 5, s16-background, R52',
    script: plays({
      'MAIN PROMPT': [background('HELP ME'), delay(1000, text('It works.')), text('All is done.')],
      'HELP ME': [text('HELPER WORDS')],
    }),
    options: ({ note }) => ({
      ...agentBase.options(),
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async (input) => {
                note('prompt', 'prompt' in input ? input.prompt : '');
                return {};
              },
            ],
          },
        ],
      },
    }),
    ignore: ['messages', 'model', 'stdin', 'calls'],
    check: ({ calls }) => {
      expect(calls).toEqual([
        { name: 'prompt', input: 'MAIN PROMPT' },
        { name: 'prompt', input: expect.stringContaining('HELPER WORDS') },
      ]);
    },
  },
  {
    ...agentBase,
    name: 'a subagent that a hook forbids is denied by the name that the host knows',
    cites: 'builtin-tools 1, R52',
    script: plays({ 'MAIN PROMPT': [agentCall('HELP ME'), text('Then not.')] }),
    options: () => ({ ...agentBase.options(), hooks: denies }),
    check: (outcome) =>
      expect(results(outcome)).toMatchObject([{ permission_denials: [{ tool_name: 'Task' }] }]),
  },
  {
    ...agentBase,
    name: 'a subagent whose call the host refuses and interrupts is stopped, and its caller goes on',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('HELP ME'), text('Then not.')],
      'HELP ME': [toolUse('Bash', { command: 'touch made.txt', description: 'Makes it' })],
    }),
    options: () => ({
      ...agentBase.options(),
      canUseTool: async () => ({ behavior: 'deny', message: 'stop it', interrupt: true }),
    }),
    check: (outcome) => {
      const { messages } = outcome;
      expect(results(outcome)).toMatchObject([{ result: 'Then not.' }]);
      expect(messages).toContainEqual(
        expect.objectContaining({ patch: expect.objectContaining({ status: 'killed' }) }),
      );
      expect(messages).toContainEqual(
        expect.objectContaining({ subtype: 'task_notification', status: 'stopped' }),
      );
    },
  },
  {
    ...agentBase,
    name: 'a subagent without words at its limit hands back what is known of it',
    cites: 's16-max-turns, builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [agentCall('HELP ME'), text('All is done.')],
      'HELP ME': [toolUse('Bash', { command: 'echo one', description: 'Says it' })],
    }),
    options: () => ({ ...agentBase.options(), agents: { helper: { ...HELPER, maxTurns: 1 } } }),
    check: (outcome) => {
      expect(handedBack(outcome)).toMatchObject([{ status: 'completed', toolsUsed: ['Bash'] }]);
      const [result] = handedBack(outcome) as { content: unknown[] }[];
      expect(result?.content).toHaveLength(2);
    },
  },
  {
    ...agentBase,
    name: 'the output of a subagent is no file for one that has no tool to read it',
    cites: 'builtin-tools 5, R52',
    script: plays({
      'MAIN PROMPT': [background('HELP ME'), delay(1000, text('It works.')), text('All is done.')],
      'HELP ME': [text('HELPER WORDS')],
    }),
    options: () => ({ ...agentBase.options(), tools: ['Task'] }),
    ignore: ['messages', 'model', 'stdin'],
    check: (outcome) =>
      expect(handedBack(outcome)).toMatchObject([{ isAsync: true, canReadOutputFile: false }]),
  },
];

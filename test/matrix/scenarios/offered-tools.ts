/** Which built-in tools there are, and what happens to calls of others. */
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { details } from '../support/file-calls.js';
import type { Outcome, Scenario } from '../support/scenario.js';

/**
 * The tools of both agents. Claude Code has others for its own surroundings (Cron*, Monitor, Workflow, …), which the
 * runtime deliberately has not; WebFetch needs a fetcher from the host; subagents have scenarios of their own.
 */
const OF_BOTH = /^(Bash|Edit|Glob|Grep|NotebookEdit|Read|Skill|TaskStop|Write|AskUserQuestion|\w+PlanMode)$/;

/** In the order in which the host is told of them, which is that of their names. */
function offered({ messages }: Outcome): string[] {
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  return (init as { tools: string[] }).tools.filter((name) => OF_BOTH.test(name));
}

const DEFAULT = ['Bash', 'Edit', 'NotebookEdit', 'Read', 'Skill', 'TaskStop', 'Write'];
const without = (...names: string[]): string[] => DEFAULT.filter((name) => !names.includes(name));

function tools(name: string, options: Options, expected: readonly string[]): Scenario {
  return {
    name,
    cites: 'builtin-tools 1, R48, R49',
    script: [text('Hello.')],
    options: () => options,
    check: (outcome) => expect(offered(outcome)).toEqual(expected.toSorted()),
  };
}

const canUseTool: Options['canUseTool'] = () => Promise.resolve({ behavior: 'deny', message: 'no' });

export const offeredTools: readonly Scenario[] = [
  tools('the tools that there are unless something else is said', {}, DEFAULT),
  tools('the tools that there are where somebody can be asked', { canUseTool }, [
    ...DEFAULT,
    'AskUserQuestion',
    'EnterPlanMode',
    'ExitPlanMode',
  ]),
  tools('exactly the tools that are named', { tools: ['Read', 'Grep'] }, ['Read', 'Grep']),
  tools('no tools, because none are named', { tools: [] }, []),
  tools(
    'tools that are taken away, altogether or in part',
    { disallowedTools: ['Write', 'Bash(rm:*)', 'Read(./secret/**)'] },
    without('Write'),
  ),
  tools('both tools for searching where one of them is allowed', { allowedTools: ['Glob'] }, [
    ...DEFAULT,
    'Glob',
    'Grep',
  ]),
  tools('tools for searching in place of commands', { disallowedTools: ['Bash'] }, [
    ...without('Bash'),
    'Glob',
    'Grep',
  ]),
  {
    name: 'calls of tools that there are not',
    cites: 'builtin-tools 1, R48',
    script: [
      toolUse('Bash', { command: 'touch made' }),
      toolUse('Write', { file_path: 'made', content: '' }),
      toolUse('Nosuch', {}),
      text('Done.'),
    ],
    options: (context) => ({
      tools: ['Read', 'Write'],
      disallowedTools: ['Write'],
      canUseTool: (name) => {
        context.note('asked', name);
        return Promise.resolve({ behavior: 'allow', updatedInput: {} });
      },
    }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([]);
      expect(details(outcome).map(String)).toEqual([
        expect.stringContaining('No such tool available: Bash'),
        expect.stringContaining('No such tool available: Write'),
        'Error: No such tool available: Nosuch',
      ]);
    },
  },
];

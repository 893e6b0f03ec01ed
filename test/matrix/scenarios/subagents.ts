/** Subagents: in the foreground, in the background, and defined by the host. */
import { expect } from 'vitest';
import { type ScriptedRequest, type Step, text, toolUse } from '../../../src/testing/index.js';
import { calc, kinds, results } from '../support/calc.js';
import type { Scenario } from '../support/scenario.js';

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
  claudeCodeOnly: 'The runtime has no subagents.',
  prompt: 'MAIN PROMPT',
  servers: calc,
  options: () => ({ allowedTools: ['mcp__calc__*'] }),
  // Helper and main agent work at the same time.
  unordered: ['messages', 'stdin', 'model'],
} as const satisfies Partial<Scenario>;

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
    cites: 's10-subagent-background, pain 17, R20',
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
    cites: 'protocol 10',
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
];

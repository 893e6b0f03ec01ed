/** Ends that are not the end of the work. */
import { expect } from 'vitest';
import { hang, text, toolUse } from '../../../src/testing/index.js';
import { waitUntil } from '../../support/real-cli.js';
import { kinds, results, serverWith, textResult } from '../support/calc.js';
import { outcomeOf } from '../support/run-scenario.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

/** A tool that runs until its signal is aborted, and notes that. */
function patient(context: Context) {
  return serverWith(context, 'wait', (_, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        context.note('aborted');
        resolve(textResult('too late'));
      });
    });
  });
}

const midTool = {
  // The official SDK lets the agent go on; then it asks the model once more.
  script: (_: unknown, index: number) => (index === 0 ? toolUse('mcp__calc__wait') : text('Going on alone.')),
  servers: patient,
  options: () => ({ allowedTools: ['mcp__calc__*'] }),
} as const satisfies Partial<Scenario>;

const noted = (context: Context, name: string) => context.calls.waitFor((call) => call.name === name, name);

function handlerAborted(outcome: Outcome): void {
  expect(outcome.calls.map(({ name }) => name)).toEqual(['wait', 'aborted']);
}

export const shutdown: readonly Scenario[] = [
  {
    ...midTool,
    name: 'close() during a tool',
    cites: 's13-sdk-close-mid-tool, R24, pain 3',
    drive: async (query, context) => {
      await noted(context, 'wait');
      return outcomeOf(Promise.resolve(query.close()));
    },
    check: (outcome) => {
      handlerAborted(outcome);
      expect(outcome.error).toBeUndefined();
      expect(results(outcome)).toEqual([]);
    },
  },
  {
    name: 'close() while the model answers',
    cites: 's13-sdk-close-during-model, R24',
    script: [hang()],
    drive: async (query, context) => {
      await context.api.waitForRequest(0);
      return outcomeOf(Promise.resolve(query.close()));
    },
    check: (outcome) => expect(outcome.error).toBeUndefined(),
  },
  {
    ...midTool,
    name: 'abort during a tool',
    cites: 's13-sdk-abort-mid-tool, R24, pain 26',
    drive: async (_, context) => {
      await noted(context, 'wait');
      context.abortController.abort();
    },
    check: (outcome) => {
      handlerAborted(outcome);
      expect(outcome.error).toMatchObject({ message: 'Operation aborted', aborted: true });
    },
  },
  {
    name: 'abort before the query starts',
    cites: 'R24',
    script: [],
    options: ({ abortController }) => {
      abortController.abort();
      return {};
    },
    check: (outcome) => {
      expect(outcome.error).toMatchObject({ message: 'Operation aborted', aborted: true });
      expect(outcome.requests).toEqual([]);
    },
  },
  {
    ...midTool,
    name: 'the consumer leaves the loop during a tool',
    cites: 's13-sdk-break-loop, R24',
    // The message about the call may arrive before the call does: whether the handler began is left to timing.
    ignore: ['calls'],
    leaveAfter: (message) => message.type === 'assistant',
    check: (outcome) => {
      expect(outcome.error).toBeUndefined();
      expect(kinds(outcome.messages).at(-1)).toBe('assistant');
    },
  },
  {
    name: 'the consumer leaves the loop at the result',
    cites: 's13-sdk-break-loop, R24',
    script: [text('Done.')],
    leaveAfter: (message) => message.type === 'result',
    // Whether the agent has left by itself when its time is up is left to the machine.
    ignore: ['exit'],
    check: (outcome) => {
      expect(outcome.error).toBeUndefined();
      expect([0, 143]).toContain(outcome.exit.code);
    },
  },
  {
    ...midTool,
    name: 'the agent is killed during a tool',
    processOnly: 'There is no process.',
    cites: 's13-sdk-cli-killed, R20, pain 5',
    drive: async (_, context) => {
      await noted(context, 'wait');
      context.child.kill('SIGKILL');
    },
    check: (outcome) => {
      handlerAborted(outcome);
      expect(outcome.exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(outcome.error?.message).toContain('Claude Code process terminated by signal SIGKILL');
    },
  },
  {
    name: 'a control request that the agent cannot answer any more',
    processOnly: 'There is no process.',
    cites: 'R20, pain 5',
    script: [hang()],
    drive: async (query, context) => {
      await context.api.waitForRequest(0);
      // Stopped, so that it reads the request no more; then killed.
      context.child.kill('SIGSTOP');
      const status = outcomeOf(query.mcpServerStatus());
      const written = () => JSON.stringify(context.child.stdin).includes('mcp_status');
      await waitUntil(written, { what: 'the request on stdin' });
      context.child.kill('SIGKILL');
      return status;
    },
    check: (outcome) => {
      expect(outcome.driven).toMatchObject({ threw: {} });
      expect(outcome.error?.message).toContain('SIGKILL');
    },
  },
  {
    name: 'a flag that the agent does not know',
    cites: 's13-sdk-bad-flag, pain 5',
    script: [],
    options: () => ({ extraArgs: { 'no-such-flag': '1' } }),
    check: (outcome) => {
      expect(outcome.exit.code).toBe(1);
      expect(`${outcome.stderr} ${outcome.error?.message}`).toContain('unknown option');
      expect(outcome.error?.message).toMatch(
        /^(Claude Code process exited|The embedded runtime ended) with code 1/,
      );
    },
  },
  {
    name: 'a flag that the agent does not know, started by the client',
    processOnly: 'There is no process.',
    cites: 's13-sdk-bad-flag, pain 5',
    unseen: true,
    script: [],
    options: (context) => ({
      extraArgs: { 'no-such-flag': '1' },
      stderr: (data) => context.note('stderr', data.trim()),
    }),
    check: (outcome) => {
      expect(outcome.error?.message).toContain('unknown option');
      expect(outcome.calls).toEqual([{ name: 'stderr', input: "error: unknown option '--no-such-flag'" }]);
    },
  },
  {
    name: 'an executable that does not exist',
    claudeCodeOnly: 'No agent is started.',
    cites: 'pain 5',
    unseen: true,
    script: [],
    options: ({ box }) => ({ pathToClaudeCodeExecutable: `${box.home}/no-such-claude` }),
    check: (outcome) => expect(outcome.error?.message).toContain('no-such-claude'),
  },
  {
    name: 'a working directory that does not exist',
    claudeCodeOnly: 'No agent is started.',
    cites: 'pain 5',
    unseen: true,
    script: [],
    options: ({ box }) => ({ cwd: `${box.home}/nowhere` }),
    check: (outcome) => expect(outcome.error).toBeDefined(),
  },
  {
    name: 'an environment without PATH',
    processOnly: 'There is no process.',
    cites: 'decision 7, pain 7',
    script: [text('Hello.')],
    options: ({ box, api }) => {
      const { PATH: _, ...rest } = box.env(api);
      return { env: { ...rest, NOTHING: undefined, CLAUDE_CODE_ENTRYPOINT: 'my-app' } };
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ result: 'Hello.' }]);
      expect(outcome.env).toMatchObject({ CLAUDE_CODE_ENTRYPOINT: 'my-app' });
    },
  },
];

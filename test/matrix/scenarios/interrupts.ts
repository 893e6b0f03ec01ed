/** Stopping a turn, and going on after it. */
import { expect } from 'vitest';
import type { SDKUserMessage } from '../../../src/index.js';
import { hang, text, toolUse } from '../../../src/testing/index.js';
import { calc, results, serverWith, textResult } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Scenario } from '../support/scenario.js';

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

const allowCalc = () => ({ allowedTools: ['mcp__calc__*'] });
const noted = (context: Context, name: string) => context.calls.waitFor((call) => call.name === name, name);
const nthResult = (context: Context, nth: number) =>
  context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);

export const interrupts: readonly Scenario[] = [
  {
    name: 'an interrupt during a tool, then a further message',
    cites: 's06-sdk-interrupt, s06-raw-interrupt, R24',
    script: [toolUse('mcp__calc__wait'), text('Going on.')],
    servers: patient,
    options: allowCalc,
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go');
      await nthResult(context, 1);
      yield says('and now?');
      await nthResult(context, 2);
    },
    drive: async (query, context) => {
      await noted(context, 'wait');
      return query.interrupt();
    },
    check: (outcome) => {
      expect(outcome.driven).toEqual({ still_queued: [] });
      expect(outcome.calls.map(({ name }) => name)).toEqual(['wait', 'aborted']);
      expect(results(outcome)).toMatchObject([
        { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' },
        { subtype: 'success', result: 'Going on.' },
      ]);
      // What the user says follows the result in the same message: roles alternate.
      expect(outcome.requests[1]?.toolResults).toMatchObject([{ is_error: true }]);
    },
  },
  {
    name: 'an interrupt during a tool of a query with a string prompt',
    cites: 's06-sdk-interrupt, R24',
    script: [toolUse('mcp__calc__wait')],
    servers: patient,
    options: allowCalc,
    drive: async (query, context) => {
      await noted(context, 'wait');
      return query.interrupt();
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'error_during_execution' }]);
      expect(outcome.error?.message).toContain('returned an error result');
    },
  },
  {
    name: 'an interrupt while the host is asked for permission',
    cites: 's06-interrupt-during-permission, R24',
    script: [toolUse('mcp__calc__add', { a: 1, b: 2 })],
    servers: calc,
    options: (context) => ({
      canUseTool: (tool, _input, { signal }) => {
        context.note('canUseTool', tool);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            context.note('aborted');
            resolve({ behavior: 'deny', message: 'too late' });
          });
        });
      },
    }),
    drive: async (query, context) => {
      await noted(context, 'canUseTool');
      return query.interrupt();
    },
    check: (outcome) => {
      expect(outcome.calls.map(({ name }) => name)).toEqual(['canUseTool', 'aborted']);
      expect(results(outcome)).toMatchObject([{ subtype: 'error_during_execution' }]);
    },
  },
  {
    name: 'an interrupt while the model thinks, then a further message',
    cites: 'protocol 3.2, R24',
    script: [hang(), text('Yes?')],
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go');
      await nthResult(context, 1);
      yield says('hello?');
      await nthResult(context, 2);
    },
    drive: async (query, context) => {
      await context.api.waitForRequest(0);
      return query.interrupt();
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([
        { subtype: 'error_during_execution' },
        { subtype: 'success', result: 'Yes?' },
      ]);
      const roles = outcome.requests[1]?.messages.map(({ role }) => role).filter((role) => role !== 'system');
      expect(roles).toEqual(['user']);
    },
  },
  {
    name: 'an interrupt after everything is done',
    cites: 'protocol 3.2',
    script: [text('Done.')],
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go');
      await context.calls.waitFor(({ name }) => name === 'interrupted', 'the interrupt');
    },
    drive: async (query, context) => {
      await nthResult(context, 1);
      const answer = await query.interrupt();
      context.note('interrupted');
      return answer;
    },
    check: (outcome) => {
      expect(outcome.driven).toEqual({ still_queued: [] });
      expect(outcome.error).toBeUndefined();
    },
  },
];

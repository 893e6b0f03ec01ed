/** What a tool can return, and what the model gets to see of it. */
import { expect } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { McpServerConfig } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { calc, results, serverWith, textResult, toolResults } from '../support/calc.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

/** A red dot of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const WAVE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

/** One call of a tool that returns this. */
function returning(
  name: string,
  cites: string,
  value: () => unknown,
  check: (outcome: Outcome) => void,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    cites,
    script: [toolUse('mcp__calc__give', {}), text('Thanks.')],
    servers: (context: Context) => serverWith(context, 'give', value),
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'give', input: {} }]);
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'Thanks.' }]);
      check(outcome);
    },
    ...more,
  };
}

function told(outcome: Outcome): unknown {
  return toolResults(outcome)[0]?.content;
}

export const toolResultKinds: readonly Scenario[] = [
  returning(
    'a result of two texts',
    'protocol 6.6',
    () => ({
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'zwei ✓ 🙂' },
      ],
    }),
    (outcome) => expect(told(outcome)).toMatchObject([{ text: 'one' }, { text: 'zwei ✓ 🙂' }]),
  ),
  returning(
    'a result that is flagged as an error',
    's03-iserr, R6',
    () => ({ ...textResult('no such file'), isError: true }),
    (outcome) => expect(toolResults(outcome)).toMatchObject([{ content: 'no such file', is_error: true }]),
  ),
  returning(
    'a handler that throws',
    's03-boom, R6',
    () => {
      throw new Error('kaboom');
    },
    (outcome) => expect(toolResults(outcome)).toMatchObject([{ content: 'kaboom', is_error: true }]),
  ),
  returning(
    'a handler that throws a string',
    's03-boom, R6',
    () => {
      throw 'just words';
    },
    (outcome) => expect(toolResults(outcome)).toMatchObject([{ content: 'just words', is_error: true }]),
  ),
  returning(
    'structured content',
    's03-struct, pain 22',
    () => ({ ...textResult('forty-two'), structuredContent: { answer: 42 } }),
    (outcome) => expect(JSON.stringify(told(outcome))).toContain('42'),
  ),
  returning(
    'an image',
    's03-image',
    () => ({
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    }),
    (outcome) => {
      expect((told(outcome) as object[]).slice(0, 2)).toMatchObject([{ text: 'look' }, { type: 'image' }]);
    },
  ),
  returning(
    'audio',
    's03-audio',
    () => ({ content: [{ type: 'audio', data: WAVE, mimeType: 'audio/wav' }] }),
    (outcome) => expect(JSON.stringify(told(outcome))).toMatch(/audio/i),
  ),
  returning(
    'an embedded resource',
    's03-res',
    () => ({
      content: [
        { type: 'resource', resource: { uri: 'memo://1', mimeType: 'text/plain', text: 'buy milk' } },
      ],
    }),
    (outcome) => expect(JSON.stringify(told(outcome))).toContain('buy milk'),
  ),
  returning(
    'a link to a resource',
    's03-res',
    () => ({
      content: [{ type: 'resource_link', uri: 'memo://2', name: 'memo', description: 'The second memo' }],
    }),
    (outcome) => expect(JSON.stringify(told(outcome))).toContain('memo://2'),
  ),
  returning(
    'no content',
    's03-empty',
    () => ({ content: [] }),
    (outcome) => expect(JSON.stringify(told(outcome))).toContain('completed with no output'),
  ),
  returning(
    'a result of 200 KB',
    's03-big200k',
    () => textResult('x'.repeat(200_000)),
    (outcome) => expect(JSON.stringify(told(outcome))).toMatch(/persisted-output|exceeds maximum|Cut here/),
  ),
  returning(
    'a result of 1 MB',
    's03-big1m, pains 12 and 41',
    () => textResult('x'.repeat(1_000_000)),
    (outcome) => expect(JSON.stringify(told(outcome))).toMatch(/exceeds maximum allowed tokens|Cut here/),
  ),
  returning(
    'a handler that returns a plain string',
    's03-notshape, R4',
    () => 'just words',
    () => {},
  ),
  returning(
    'a handler that returns nothing',
    's03-notshape, R4',
    () => undefined,
    () => {},
  ),
  {
    name: 'a tool that takes longer than its server allows',
    cites: 's06-server-timeout-config, s06-tool-timeout, R17',
    script: [toolUse('mcp__calc__wait', {}), text('Too slow.')],
    servers: (context) => ({
      calc: {
        ...serverWith(
          context,
          'wait',
          (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
        ).calc!,
        timeout: 1000,
      } as McpServerConfig,
    }),
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([
        { is_error: true, content: expect.stringContaining('timed out after 1s') },
      ]);
    },
  },
  {
    name: 'a schema of zod 3',
    cites: 'R3, pain 2',
    script: [toolUse('mcp__calc__greet', { who: 'Ada' }), text('Hello.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const shape = { who: z3.string().describe('Whom to greet'), loud: z3.boolean().optional() };
      const greet = tool('greet', 'Greets', shape as never, async (args: unknown) => {
        context.note('greet', args);
        return textResult('Hello');
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [greet], alwaysLoad: true }) };
    },
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => expect(outcome.calls).toEqual([{ name: 'greet', input: { who: 'Ada' } }]),
  },
  {
    name: 'a call with an argument too many',
    cites: 's03-extra',
    script: [toolUse('mcp__calc__add', { a: 1, b: 2, c: 3 }), text('Three.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 1, b: 2 } }]);
      expect(told(outcome)).toMatchObject([{ text: '3' }]);
    },
  },
  {
    name: 'a call whose arguments are refused by the schema',
    cites: 's03-validation, R6',
    script: [toolUse('mcp__calc__add', { a: 'one' }), text('Sorry.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([]);
      expect(toolResults(outcome)).toMatchObject([{ is_error: true }]);
      expect(told(outcome)).toMatch(/\ba\b.*\bb\b/s);
    },
  },
  {
    name: 'a call with defaults, transforms and optional arguments',
    cites: 'R3',
    script: [toolUse('mcp__calc__greet', { who: 'Ada' }), text('Hello.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const shape = {
        who: z.string().describe('Whom to greet'),
        how: z.enum(['hello', 'bye']).default('hello'),
        times: z.number().int().min(1).optional(),
        tags: z.array(z.string()).default([]),
      };
      const greet = tool('greet', 'Greets', shape, async (args) => {
        context.note('greet', args);
        return textResult(`${args.how} ${args.who}`);
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [greet], alwaysLoad: true }) };
    },
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'greet', input: { who: 'Ada', how: 'hello', tags: [] } }]);
    },
  },
  {
    name: 'a call of a tool that does not exist',
    cites: 's03-unknown',
    script: [toolUse('mcp__calc__subtract', { a: 1, b: 2 }), text('Sorry.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc__*'] }),
    check: (outcome) => expect(told(outcome)).toContain('No such tool available: mcp__calc__subtract'),
  },
];

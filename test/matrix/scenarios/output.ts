/** Structured output, partial messages, thinking, system prompts, and the limits of a run. */
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { blocks, text, thinking, toolUse } from '../../../src/testing/index.js';
import { calc, kinds, results, toolResults } from '../support/calc.js';
import type { Scenario } from '../support/scenario.js';

const answerSchema: Options = {
  outputFormat: {
    type: 'json_schema',
    schema: {
      type: 'object',
      properties: { answer: { type: 'number' } },
      required: ['answer'],
      additionalProperties: false,
    },
  },
};

const allowCalc = () => ({ allowedTools: ['mcp__calc__*'] });

export const output: readonly Scenario[] = [
  {
    name: 'structured output',
    cites: 's10-json-schema, R23',
    script: [toolUse('StructuredOutput', { answer: 42 })],
    options: () => answerSchema,
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'success', structured_output: { answer: 42 } }]);
    },
  },
  {
    name: 'structured output at the second try',
    cites: 's10-json-schema-invalid, R23',
    script: [toolUse('StructuredOutput', { answer: 'many' }), toolUse('StructuredOutput', { answer: 42 })],
    options: () => answerSchema,
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([{ is_error: true }]);
      expect(results(outcome)).toMatchObject([{ structured_output: { answer: 42 } }]);
    },
  },
  {
    name: 'structured output that never fits',
    cites: 's10-json-schema-invalid, R23',
    script: () => toolUse('StructuredOutput', { answer: 'many' }),
    options: () => answerSchema,
    // The CLI gives up while its last request is under way: whether its tokens are counted is a matter of timing.
    leftToTiming: /\.(input|output)Tokens$/,
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'error_max_structured_output_retries' }]);
      expect(outcome.error?.message).toContain('returned an error result');
    },
  },
  {
    name: 'structured output that the model forgets',
    cites: 's10-json-schema-not-called, R23, pain 39',
    script: () => text('Forty-two.'),
    options: () => answerSchema,
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'success' }]);
      expect(results(outcome)[0]).not.toHaveProperty('structured_output');
    },
  },
  {
    name: 'partial messages',
    cites: 's10-partial-messages',
    script: [
      blocks([text('Let me add.', { chunks: 3 }), toolUse('mcp__calc__add', { a: 1, b: 2 }, { chunks: 2 })]),
      text('It is three.', { chunks: 2 }),
    ],
    servers: calc,
    options: () => ({ ...allowCalc(), includePartialMessages: true }),
    // The tool starts while the answer still streams.
    unordered: ['messages'],
    check: (outcome) => {
      expect(kinds(outcome.messages)).toContain('stream_event');
      const deltas = outcome.messages.flatMap((message) =>
        message.type === 'stream_event' && message.event.type === 'content_block_delta' ? [message] : [],
      );
      expect(deltas.length).toBeGreaterThanOrEqual(7);
    },
  },
  {
    name: 'thinking',
    cites: 's10-partial-messages',
    script: [blocks([thinking('Two and two…'), text('Four.')])],
    options: () => ({ thinking: { type: 'enabled', budgetTokens: 2000 } }),
    check: (outcome) => {
      expect(JSON.stringify(outcome.messages)).toContain('Two and two…');
      expect(results(outcome)).toMatchObject([{ result: 'Four.' }]);
    },
  },
  {
    name: 'a system prompt of the user',
    cites: 'protocol 10',
    script: [text('Arr.')],
    options: () => ({ systemPrompt: 'You are a pirate.' }),
    check: (outcome) => expect(outcome.requests[0]?.system).toContain('You are a pirate.'),
  },
  {
    name: "the agent's own system prompt with an addition",
    claudeCodeOnly: 'The prompt is that of Claude Code.',
    cites: 'protocol 10',
    script: [text('Arr.')],
    options: () => ({
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Speak like a pirate.' },
    }),
    check: (outcome) => {
      expect(outcome.requests[0]?.system).toContain('Speak like a pirate.');
      expect(outcome.requests[0]?.system.length).toBeGreaterThan(2000);
    },
  },
  {
    name: 'many options at once',
    cites: 'protocol 10',
    script: [text('Hello.')],
    options: ({ box }) => ({
      additionalDirectories: [box.home],
      tools: ['Bash', 'Read'],
      allowedTools: ['Read'],
      disallowedTools: ['Bash(rm *)'],
      model: 'sonnet',
      fallbackModel: 'haiku',
      effort: 'low',
      permissionMode: 'default',
      settingSources: [],
      settings: { includeCoAuthoredBy: false },
      strictMcpConfig: true,
      title: 'A title',
      promptSuggestions: false,
      maxTurns: 5,
      extraArgs: { 'debug-to-stderr': null },
      verbatimPrompts: true,
      agents: { helper: { description: 'Helps', prompt: 'Be helpful.' } },
    }),
    check: (outcome) => {
      expect(outcome.requests[0]?.body.model).toContain('sonnet');
      expect(results(outcome)).toMatchObject([{ result: 'Hello.' }]);
    },
  },
  {
    name: 'a limit of turns',
    cites: 's10-max-turns',
    script: [toolUse('mcp__calc__add', { a: 1, b: 2 })],
    servers: calc,
    options: () => ({ ...allowCalc(), maxTurns: 1 }),
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'error_max_turns', terminal_reason: 'max_turns' }]);
      expect(outcome.error?.message).toContain('returned an error result');
      expect(outcome.exit.code).toBe(1);
    },
  },
  {
    name: 'a limit of cost',
    cites: 's10-budget',
    script: [toolUse('mcp__calc__add', { a: 1, b: 2 }, { usage: { output_tokens: 100_000 } })],
    servers: calc,
    options: () => ({ ...allowCalc(), maxBudgetUsd: 0.0001 }),
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'error_max_budget_usd' }]);
      expect(outcome.error).toBeDefined();
    },
  },
];

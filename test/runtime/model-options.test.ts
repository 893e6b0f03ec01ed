/** Options that are about the model: which one, how it thinks, what it may cost. */
import { describe, expect, test } from 'vitest';
import type { Options } from '../../src/index.js';
import { query } from '../../src/index.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded } from '../../src/runtime/index.js';
import { apiError, blocks, scriptedMessagesApi, text, thinking, toolUse } from '../../src/testing/index.js';
import { call, run, server, talk } from './support.js';

describe('a request', () => {
  test.each<[string, Options, object]>([
    ['nothing', {}, { max_tokens: 16_384 }],
    ['effort', { effort: 'high' }, { output_config: { effort: 'high' } }],
    ['thinking adaptive', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
    ['thinking disabled', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [
      'thinking with a budget',
      { thinking: { type: 'enabled', budgetTokens: 5000, display: 'omitted' } },
      { thinking: { type: 'enabled', budget_tokens: 5000, display: 'omitted' }, max_tokens: 16_384 },
    ],
    [
      'more thoughts than an answer may have tokens',
      { maxThinkingTokens: 20_000 },
      { thinking: { type: 'enabled', budget_tokens: 20_000 }, max_tokens: 36_384 },
    ],
    ['betas', { betas: ['context-1m-2025-08-07'] }, { betas: ['context-1m-2025-08-07'] }],
  ])('carries what the options say of the model: %s', async (_, options, expected) => {
    const { model } = await run(['Done.'], options);
    const { system, tools, messages, ...parameters } = model.requests[0]?.body ?? ({} as never);
    expect(parameters).toEqual({ model: 'scripted-model', max_tokens: 16_384, ...expected });
  });

  test('follows what the host says of thinking while the conversation runs', async () => {
    const { session, model } = talk(() => 'Yes.', { maxThinkingTokens: 3000 });
    const answers: unknown[] = [];
    for (const tokens of [null, 9000, 0]) {
      await session.query.setMaxThinkingTokens(tokens);
      await session.ask('?');
      answers.push(model.requests.at(-1)?.body.thinking);
    }
    expect(answers).toEqual([
      { type: 'enabled', budget_tokens: 3000 },
      { type: 'enabled', budget_tokens: 9000 },
      { type: 'disabled' },
    ]);
    await session.close();
  });
});

describe('on the Messages API', () => {
  const ask = async (script: Parameters<typeof scriptedMessagesApi>[0], options: Options) => {
    await using api = await scriptedMessagesApi(script);
    const model = anthropic({ baseURL: api.url, apiKey: 'test' });
    const messages: { type: string; subtype?: string }[] = [];
    const running = query({ prompt: 'Go.', options: { ...options, runtime: embedded({ model }) } });
    for await (const message of running) messages.push(message as never);
    return { requests: api.requests, messages };
  };

  test('thoughts and their signatures come back to the model as they were, and so do betas and effort', async () => {
    const s = server({ a: () => 'A' });
    const answer = blocks([thinking('Let me see.', { signature: 'sig-1' }), toolUse('mcp__s__a')]);
    const { requests } = await ask([answer, text('Done.')], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
      effort: 'low',
      thinking: { type: 'adaptive' },
      betas: ['context-1m-2025-08-07'],
    });
    expect(requests[0]?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(requests[0]?.body).not.toHaveProperty('betas');
    expect(requests[0]?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
    expect(requests[1]?.body.messages[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'Let me see.', signature: 'sig-1' },
      { type: 'tool_use' },
    ]);
  });

  test('an overloaded model is replaced by the fallback after two more tries, for this prompt', async () => {
    const { requests, messages } = await ask(
      ({ body }) =>
        body.model === 'claude-sonnet-5-5'
          ? text('I can.')
          : apiError(529, 'overloaded_error', 'Overloaded', { headers: { 'retry-after': '0' } }),
      { fallbackModel: 'claude-sonnet-5-5' },
    );
    expect(requests.map(({ body }) => body.model)).toEqual([
      ...Array(3).fill('claude-opus-5-5'),
      'claude-sonnet-5-5',
    ]);
    expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toMatchObject([
      { attempt: 1, max_retries: 2 },
      { attempt: 2, max_retries: 2 },
    ]);
    expect(messages.find(({ subtype }) => subtype === 'model_fallback')).toMatchObject({
      trigger: 'overloaded',
      original_model: 'claude-opus-5-5',
      fallback_model: 'claude-sonnet-5-5',
    });
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'I can.' });
  });
});

describe('a fallback', () => {
  const broken = { error: { message: 'Overloaded', status: 529 } };

  test('is the first choice no more at the next prompt', async () => {
    const { session, model } = talk((request) => (request.model === 'second' ? 'Yes.' : broken), {
      model: 'first',
      fallbackModel: 'second',
    });
    await session.ask('One?');
    await session.ask('Two?');
    expect(model.requests.map((request) => request.model)).toEqual(['first', 'second', 'first', 'second']);
    await session.close();
  });

  test('that fails too is the error of the turn', async () => {
    const { result, model } = await run(() => broken, { model: 'first', fallbackModel: 'second' });
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error', api_error_status: 529 });
    expect(model.requests).toHaveLength(2);
  });

  test('does not take over what the request itself is to blame for', async () => {
    const { model } = await run(() => ({ error: { message: 'Bad.', status: 400 } }), {
      fallbackModel: 'second',
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe('maxBudgetUsd', () => {
  test('with a model whose price nobody knows is an error that says what to do, before any request (pain 47)', async () => {
    const { result, model } = await run(['Never.'], { maxBudgetUsd: 1 });
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringMatching(/maxBudgetUsd.*"scripted-model".*embedded\(\{ prices/)],
    });
    expect(model.requests).toEqual([]);
  });

  test('is kept by prices that are given, tool by tool', async () => {
    const s = server({ a: () => 'A' });
    const { result, model } = await run(
      () => ({ toolUses: [call('a')], usage: { input_tokens: 0, output_tokens: 1000 } }),
      { maxBudgetUsd: 0.025, mcpServers: { s }, allowedTools: ['mcp__s'] },
      { prices: { 'scripted-model': { input: 1, output: 10 } } },
    );
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', total_cost_usd: 0.03 });
    expect(model.requests).toHaveLength(3);
  });
});

test('a rule that can never match is named on stderr and in a line (pain 16)', async () => {
  let stderr = '';
  const s = server({ a: () => 'A' });
  const { messages, model } = await run(['Done.'], {
    mcpServers: { s },
    allowedTools: ['mcp__*'],
    disallowedTools: ['mcp__s__a(x)'],
    stderr: (chunk) => {
      stderr += chunk;
    },
  });
  expect(stderr).toMatch(/The allow rule "mcp__\*" cannot be used: .*It allows nothing\./);
  expect(stderr).toMatch(/The deny rule "mcp__s__a\(x\)" cannot be used: .*all of "mcp__s__a"/);
  expect(
    messages.filter(({ subtype, level }) => subtype === 'informational' && level === 'warning'),
  ).toHaveLength(2);
  // What cannot be checked is denied.
  expect(model.requests[0]?.tools).toEqual([]);
});

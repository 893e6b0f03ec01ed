/** How a turn ends other than well: limits, failures of the model, answers that do not fit a schema. */
import { describe, expect, it } from 'vitest';
import { call, run, said, server, talk } from './support.js';

const tools = { mcpServers: { s: server({ a: () => 'A' }) }, allowedTools: ['mcp__s'] };
const again = { toolUses: [call('a')], usage: { input_tokens: 100, output_tokens: 50 } };

describe('a limit', () => {
  it('of turns ends the loop', async () => {
    const { result, model } = await run(() => again, { ...tools, maxTurns: 3 });
    expect(result).toMatchObject({
      subtype: 'error_max_turns',
      terminal_reason: 'max_turns',
      is_error: true,
    });
    expect(result).not.toHaveProperty('result');
    expect(model.requests).toHaveLength(3);
  });

  it('of money ends the loop as soon as it is reached', async () => {
    const prices = { 'scripted-model': { input: 1000, output: 2000 } };
    // A call costs 100 * 0.001 + 50 * 0.002 = 0.2.
    const { result, model } = await run(() => again, { ...tools, maxBudgetUsd: 0.5 }, { prices });
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
    expect(result.total_cost_usd).toBeCloseTo(0.6);
    expect(model.requests).toHaveLength(3);
  });
});

describe('usage', () => {
  it('is of the turn in `usage`, and of the conversation in `modelUsage` and the cost', async () => {
    const prices = { 'scripted-model': { input: 1000, output: 2000 } };
    const { session } = talk([again, 'One.', 'Two.'], tools, { prices });
    const first = await session.ask('One');
    expect(first.usage).toMatchObject({ input_tokens: 110, output_tokens: 70 });
    expect(first.modelUsage['scripted-model']).toMatchObject({ inputTokens: 110, outputTokens: 70 });
    expect(first.total_cost_usd).toBeCloseTo(0.11 + 0.14);
    const second = await session.ask('Two');
    expect(second.usage).toMatchObject({ input_tokens: 10, output_tokens: 20 });
    expect(second.modelUsage['scripted-model']).toMatchObject({ inputTokens: 120, outputTokens: 90 });
    expect(second.total_cost_usd).toBeCloseTo(0.12 + 0.18);
    await session.close();
  });

  it('of a model without a price says that the cost is not known (R46, pain 47)', async () => {
    const { result } = await run(['Hello.']);
    expect(result).toMatchObject({
      total_cost_usd: 0,
      modelUsage: { 'scripted-model': { costBasis: 'unknown' } },
    });
  });
});

describe('a failure of the model', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'authentication_failed'],
    [429, 'rate_limit'],
    [500, 'server_error'],
    [529, 'overloaded'],
    [undefined, 'unknown'],
  ])('of status %s is a result that says so, and the next message is answered', async (status, kind) => {
    const error = { message: 'It is broken.', ...(status === undefined ? {} : { status }) };
    const { session, model } = talk([{ error }, 'Well again.']);
    session.send('One');
    const messages = [];
    for await (const message of session.stream()) messages.push(message);
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: status ?? null,
      result: status === undefined ? 'It is broken.' : `API Error: ${status} It is broken.`,
    });
    expect(messages.at(-2)).toMatchObject({
      type: 'assistant',
      error: kind,
      message: { model: '<synthetic>' },
    });
    expect(await session.ask('Two')).toMatchObject({ result: 'Well again.', is_error: false });
    expect(said(model.requests[1])).not.toContain('It is broken.');
    await session.close();
  });

  it('in the middle of an answer leaves the calls that were made by then with their results', async () => {
    const ran: string[] = [];
    let requests = 0;
    const { session, model } = talk(
      () => {
        requests += 1;
        return requests === 1 ? { toolUses: [call('a'), call('b')] } : 'Well again.';
      },
      { allowedTools: ['mcp__s'], mcpServers: { s: server({ a: () => ran.push('a') }) } },
    );
    const stream = model.stream.bind(model);
    model.stream = async function* (request, context) {
      let stops = 0;
      for await (const event of stream(request, context)) {
        yield event;
        if (event.type === 'content_block_stop') stops += 1;
        if (stops === 1 && requests === 1) {
          while (ran.length === 0) await new Promise((resolve) => setImmediate(resolve));
          throw new Error('The line is dead.');
        }
      }
    };
    expect(await session.ask('One')).toMatchObject({ is_error: true, terminal_reason: 'api_error' });
    await session.ask('Two');
    // The model must know that `a` was called: it had its effect.
    expect(said(model.requests[1])).toMatch(/tool_use.*mcp__s__a.*tool_result/);
    expect(said(model.requests[1])).not.toContain('mcp__s__b');
    await session.close();
  });
});

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  };
  const outputFormat = { type: 'json_schema' as const, schema };
  const give = (input: Record<string, unknown>) => ({ toolUses: [{ name: 'StructuredOutput', input }] });

  it('that fits is in the result, and nobody was asked for permission', async () => {
    const { result, model } = await run([give({ n: 1 })], { outputFormat });
    expect(result).toMatchObject({ subtype: 'success', structured_output: { n: 1 }, result: '{"n":1}' });
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'StructuredOutput', input_schema: schema }]);
  });

  it('that does not fit is asked for again, with the reason', async () => {
    const { result, model } = await run([give({ n: 'one' }), give({ n: 1 })], { outputFormat });
    expect(result).toMatchObject({ structured_output: { n: 1 } });
    expect(said(model.requests[1])).toMatch(/does not fit the schema.*number/);
  });

  it('that is forgotten is asked for', async () => {
    const { result, model } = await run(['It is one.', give({ n: 1 })], { outputFormat });
    expect(result).toMatchObject({ structured_output: { n: 1 } });
    expect(said(model.requests[1])).toContain('StructuredOutput');
  });

  it.each([
    ['wrong', give({})],
    ['missing', 'It is one.'],
  ])('that is always %s is an error, never a success without it', async (_, step) => {
    const { result, model } = await run(() => step, { outputFormat });
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'structured_output_retry_exhausted',
    });
    expect(result).not.toHaveProperty('structured_output');
    expect(model.requests).toHaveLength(5);
  });

  it('of one prompt is not that of the next', async () => {
    const { session } = talk((_, index) => (index === 0 ? give({ n: 1 }) : 'Never.'), { outputFormat });
    expect(await session.ask('One')).toMatchObject({ structured_output: { n: 1 } });
    const second = await session.ask('Two');
    expect(second).toMatchObject({ subtype: 'error_max_structured_output_retries' });
    expect(second).not.toHaveProperty('structured_output');
    await session.close();
  });
});

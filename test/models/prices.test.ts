/** What answers cost, with the optional package of prices (R46). */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.js';
import { type AiSdkLanguageModel, type AiSdkOptions, aiSdk } from '../../src/models/ai-sdk/ai-sdk.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded, type Model, type RuntimeConfig } from '../../src/runtime/index.js';
import { knownModels } from '../../src/runtime/known-models.js';
import type { Loose } from '../runtime/support.js';
import { temporaryDirectory } from '../support/temporary.js';
import { wireServer } from './ai-sdk/wire-server.js';

const directory = temporaryDirectory();

interface Counts {
  fresh: number;
  read?: number;
  written?: number;
  output?: number;
}

/** A model of a provider, which answers with these counts of tokens. */
function model(
  provider: string,
  modelId: string,
  { fresh, read = 0, written = 0, output = 0 }: Counts,
): AiSdkLanguageModel {
  const usage = {
    inputTokens: { total: fresh + read + written, noCache: fresh, cacheRead: read, cacheWrite: written },
    outputTokens: { total: output },
  };
  const parts = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hello.' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage },
  ];
  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    doStream: async () => ({
      stream: new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
  };
}

async function ask(
  given: Model,
  config: Omit<RuntimeConfig, 'model'> = {},
  options: { maxBudgetUsd?: number } = {},
): Promise<Loose> {
  const runtime = embedded({ model: given, ...config });
  let result: unknown;
  for await (const message of query({
    prompt: 'Go.',
    options: { runtime, throwOnErrorResult: false, ...options },
  }))
    result = message;
  return result as Loose;
}

const MILLION = 1_000_000;

describe('the cost of an answer (R46)', () => {
  it.each([
    ['openai.responses', 'gpt-5', { fresh: MILLION, read: MILLION, output: MILLION }, 1.25 + 0.125 + 10],
    ['openai.chat', 'gpt-5', { fresh: MILLION }, 1.25],
    ['anthropic.messages', 'claude-opus-4-5', { fresh: 0, written: MILLION, output: MILLION }, 6.25 + 25],
    ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', { fresh: MILLION }, 3.3],
    // Dearer by the token when the prompt is long.
    ['google.generative-ai', 'gemini-2.5-pro', { fresh: 100_000 }, 0.125],
    ['google.generative-ai', 'gemini-2.5-pro', { fresh: MILLION }, 2.5],
  ] as [string, string, Counts, number][])('is known for %s %s', async (provider, id, counts, expected) => {
    const result = await ask(aiSdk(model(provider, id, counts)));
    expect(result.total_cost_usd).toBeCloseTo(expected, 6);
    expect(result.modelUsage).toMatchObject({ [id]: { costBasis: 'list' } });
  });

  it('is found by the model itself, whatever it is called in the conversation', async () => {
    const options: AiSdkOptions = { name: 'clever' };
    const result = await ask(aiSdk(model('openai.chat', 'gpt-5', { fresh: MILLION }), options));
    expect(result.total_cost_usd).toBeCloseTo(1.25, 6);
  });

  it.each([
    ['a model that the package does not know', 'openai.chat', 'gpt-none'],
    ['a well-known name on a server of one’s own', 'local.chat', 'gpt-5'],
  ])('stays unknown for %s', async (_, provider, id) => {
    const result = await ask(aiSdk(model(provider, id, { fresh: MILLION })));
    expect(result).toMatchObject({ is_error: false, modelUsage: { [id]: { costBasis: 'unknown' } } });
  });

  it('is what the user’s own prices say', async () => {
    const given = model('openai.chat', 'gpt-5', { fresh: MILLION });
    const prices = { 'gpt-5': { input: 7, output: 0 } };
    expect((await ask(aiSdk(given), { prices })).total_cost_usd).toBeCloseTo(7, 6);
    expect((await ask(aiSdk(given, { prices }))).total_cost_usd).toBeCloseTo(7, 6);
  });

  it.each([
    [{ ttl: '5m' as const }, 5],
    [{ ttl: '1h' as const }, 8],
  ])('counts what is written to the cache with %j', async (cache, expected) => {
    await using server = await wireServer([{ text: ['Hello.'], usage: { written: MILLION } }]);
    const claude = anthropic({ apiKey: 'test', baseURL: server.url });
    const prices = { m: { input: 4, output: 20 } };
    const result = await ask(claude, { cache, prices });
    expect(result.total_cost_usd).toBeCloseTo(expected, 6);
    // Sizes are those of the model that was asked, by whatever name it answers.
    expect(result.modelUsage).toMatchObject({ m: { contextWindow: MILLION } });
    const same = aiSdk(model('anthropic.messages', 'claude-opus-5-5', { fresh: 0, written: MILLION }));
    expect((await ask(same, { cache })).total_cost_usd).toBeCloseTo(expected, 6);
  });
});

describe('maxBudgetUsd (R46)', () => {
  it('holds for any model with a known price', async () => {
    const given = aiSdk(model('openai.chat', 'gpt-5', { fresh: MILLION }));
    expect(await ask(given, {}, { maxBudgetUsd: 1 })).toMatchObject({ subtype: 'error_max_budget_usd' });
    expect(await ask(given, {}, { maxBudgetUsd: 2 })).toMatchObject({ subtype: 'success' });
  });

  it('is refused before any request where the price is unknown', async () => {
    const given = model('local.chat', 'gpt-5', { fresh: 1 });
    let requests = 0;
    const counted: AiSdkLanguageModel = {
      ...given,
      doStream: (options) => {
        requests += 1;
        return given.doStream(options);
      },
    };
    expect(await ask(aiSdk(counted), {}, { maxBudgetUsd: 1 })).toMatchObject({
      is_error: true,
      errors: [expect.stringMatching(/maxBudgetUsd.*"gpt-5".*prices/)],
    });
    expect(requests).toBe(0);
  });

  it('names the package where it is not installed', async () => {
    const path = await mkdtemp(join(directory, 'no-package-'));
    // A copy of the build in a place without packages.
    await cp(fileURLToPath(new URL('../../dist', import.meta.url)), join(path, 'dist'), { recursive: true });
    await writeFile(join(path, 'package.json'), '{"type":"module"}');
    const program = `
      import { query } from './dist/index.js';
      import { aiSdk } from './dist/models/ai-sdk/ai-sdk.js';
      import { embedded } from './dist/runtime/index.js';
      const model = { specificationVersion: 'v3', provider: 'openai.chat', modelId: 'gpt-5', doStream: () => process.exit(9) };
      const options = { runtime: embedded({ model: aiSdk(model) }), maxBudgetUsd: 1, throwOnErrorResult: false };
      for await (const message of query({ prompt: 'Go.', options })) if (message.type === 'result') console.log(message.errors[0]);`;
    await writeFile(join(path, 'main.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, ['main.mjs'], { cwd: path });
    expect(stdout).toMatch(/"gpt-5" is not known.*@pydantic\/genai-prices/);
  });
});

it('the package knows windows too (R46)', async () => {
  const known = await knownModels();
  expect(known?.windowOf({ provider: 'openai.chat', model: 'gpt-5' })).toBe(400_000);
  expect(known?.windowOf({ provider: 'local.chat', model: 'gpt-5' })).toBeUndefined();
  // Also where a price of the user's own is no reason to look.
  const prices = { 'gpt-5': { input: 7, output: 0 } };
  const result = await ask(aiSdk(model('openai.chat', 'gpt-5', { fresh: 1 })), { prices });
  expect(result.modelUsage).toMatchObject({ 'gpt-5': { contextWindow: 400_000 } });
});

it.each(['openai', 'anthropic', 'google', 'aws', 'mistral', 'x-ai', 'deepseek'])(
  'an answer costs what the package says, for every model of %s (R46)',
  async (provider) => {
    const known = await knownModels();
    const models = findProvider({ providerId: provider })?.models ?? [];
    expect(models.length).toBeGreaterThan(2);
    const counts = {
      input_tokens: 12_345,
      output_tokens: 345,
      cache_read_input_tokens: 678,
      cache_creation_input_tokens: 9_012,
    };
    const usage = {
      input_tokens: 12_345 + 678 + 9_012,
      output_tokens: 345,
      cache_read_tokens: 678,
      cache_write_tokens: 9_012,
    };
    for (const { id: model } of models) {
      for (const [isLong, more] of [
        [false, {}] as const,
        [true, { cache_write_1h_tokens: 9_012 }] as const,
      ]) {
        const price = calcPrice({ ...usage, ...more }, model, { providerId: provider });
        const cost = known?.pricingOf({ provider, model })?.(counts, isLong);
        // Some are listed under an id that the package itself does not find.
        if (price === null) expect(cost, model).toBeUndefined();
        else expect(cost, model).toBeCloseTo(price.total_price, 10);
      }
    }
  },
);

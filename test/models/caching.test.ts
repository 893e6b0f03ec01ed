/** What is marked for caching, as it goes over the wire (R45). */
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.js';
import { traitsOf } from '../../src/models/ai-sdk/providers.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded, type RuntimeConfig } from '../../src/runtime/index.js';
import { CELLS } from './ai-sdk/providers.js';
import { converse, tools } from './ai-sdk/support.js';
import { type Body, wireServer } from './ai-sdk/wire-server.js';

type Cache = RuntimeConfig['cache'];

const settings = { systemPrompt: 'Be brief.' };
const hello = { text: ['Hello.'] };

/** Every mark in a body, with the part of the request that it stands in. */
function marksIn(body: Body): [part: string, mark: unknown][] {
  const found: [string, unknown][] = [];
  const look = (part: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'cache_control' || key === 'cachePoint') found.push([part, inner]);
      else look(part, inner);
    }
  };
  for (const [part, value] of Object.entries(body)) look(part, value);
  return found;
}

async function askAnthropic(cache?: Cache): Promise<Body> {
  await using server = await wireServer([hello]);
  const model = anthropic({ apiKey: 'test', baseURL: server.url });
  const options = { ...settings, runtime: embedded({ model, cache }), mcpServers: { s: tools().server } };
  await query({ prompt: 'Go.', options }).done;
  return server.requests[0]?.body;
}

const short = { type: 'ephemeral' };
const long = { type: 'ephemeral', ttl: '1h' };

describe('anthropic() (R45)', () => {
  it.each([
    ['by default', undefined, { system: short, tools: short, messages: short }],
    ['for five minutes', { ttl: '5m' }, { system: short, tools: short, messages: short }],
    ['for an hour', { ttl: '1h' }, { system: long, tools: long, messages: long }],
    ['in part', { parts: ['system', 'tools'] }, { system: short, tools: short }],
    ['not at all', false, {}],
  ] as [string, Cache, object][])(
    'marks system, tools and the newest message: %s',
    async (_, cache, expected) => {
      expect(Object.fromEntries(marksIn(await askAnthropic(cache)))).toEqual(expected);
    },
  );

  it.each([
    [true, /it is true/],
    [{ ttl: '2h' }, /it is \{"ttl":"2h"\}/],
    [{ parts: ['prompt'] }, /parts/],
    ['1h', /`cache` must be false or/],
  ])('refuses %j at the door', (cache, message) => {
    expect(() => embedded({ model: anthropic(), cache: cache as never })).toThrow(message);
  });
});

describe.each(CELLS)('$provider, specification $version (R45)', (cell) => {
  const point = { type: 'default' };
  const byDefault: Record<string, object> = {
    anthropic: { system: short, tools: short, messages: short },
    'amazon-bedrock': { system: point, messages: point },
  };

  it('gets the marks that it has, and no others', async () => {
    const { requests, result } = await converse(cell, [hello], { options: settings });
    expect(result).toMatchObject({ is_error: false });
    const { body } = requests[0] as { body: Body };
    expect(Object.fromEntries(marksIn(body))).toEqual(byDefault[cell.provider] ?? {});
    expect(body).not.toHaveProperty('prompt_cache_key');
  });

  it('gets none with cache: false', async () => {
    const { requests } = await converse(cell, [hello], { options: settings, config: { cache: false } });
    expect(marksIn(requests[0]?.body)).toEqual([]);
  });

  it('gets a key for its cache only where it has one', async () => {
    const { requests, result } = await converse(cell, [hello], { adapter: { promptCacheKey: 'session' } });
    const hasKey = cell.provider.startsWith('openai ');
    expect(requests[0]?.body.prompt_cache_key).toBe(hasKey ? result.session_id : undefined);
    expect(JSON.stringify(requests[0]?.body).includes(`${result.session_id}`)).toBe(hasKey);
  });

  it('keeps for an hour what is to be kept so long, or says that it cannot (pain 38)', async () => {
    const { requests, messages } = await converse(cell, [hello], {
      options: settings,
      config: { cache: { ttl: '1h' } },
    });
    const marks = marksIn(requests[0]?.body).map(([, mark]) => mark);
    const hasLong =
      cell.provider === 'anthropic' || (cell.provider === 'amazon-bedrock' && cell.version !== 'v2');
    if (hasLong) expect(marks).not.toEqual([]);
    for (const mark of marks) expect(mark).toEqual(hasLong ? expect.objectContaining({ ttl: '1h' }) : point);
    const said = messages.filter(({ content }) => /cache for an hour/.test(`${content}`));
    expect(said).toHaveLength(hasLong ? 0 : 1);
  });
});

it('sends no marks to models on Bedrock that cannot cache (R45)', () => {
  const provider = 'amazon-bedrock';
  expect(traitsOf({ provider, modelId: 'us.anthropic.claude-opus-5-5-v1:0' }).cacheMark).toBeDefined();
  expect(traitsOf({ provider, modelId: 'amazon.nova-pro-v1:0' }).cacheMark).toBeDefined();
  expect(traitsOf({ provider, modelId: 'meta.llama3-70b-instruct-v1:0' }).cacheMark).toBeUndefined();
});

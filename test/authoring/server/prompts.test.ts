/** Prompts: listed, filled in, completed, changed (pain 56). */
import { describe, expect, test } from 'vitest';
import { createSdkMcpServer, type JsonRpcSuccess, type PromptDefinition } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

const review: PromptDefinition = {
  name: 'review',
  title: 'Review',
  description: 'Reviews a file',
  arguments: [
    { name: 'file', description: 'Which', required: true, complete: async (start) => [`${start}.ts`] },
    { name: 'tone', complete: (start) => ['kind', 'keen'].filter((each) => each.startsWith(start)) },
    { name: 'depth' },
  ],
  get: ({ file, tone = 'plain' }) => `Review ${file}, ${tone}`,
};

const talk: PromptDefinition = {
  name: 'talk',
  get: async () => [
    { role: 'user', content: { type: 'text', text: 'Hello' } },
    { role: 'assistant', content: { type: 'text', text: 'Hi' } },
  ],
};

async function serving(...prompts: PromptDefinition[]) {
  const { instance } = createSdkMcpServer({ name: 's', prompts });
  return { instance, wire: await McpWire.to(instance) };
}

test('are listed with their arguments, without functions', async () => {
  const { wire } = await serving(review, talk);
  expect(await wire.request('prompts/list')).toEqual({
    prompts: [
      {
        name: 'review',
        title: 'Review',
        description: 'Reviews a file',
        arguments: [
          { name: 'file', description: 'Which', required: true },
          { name: 'tone' },
          { name: 'depth' },
        ],
      },
      { name: 'talk' },
    ],
  });
});

describe('prompts/get', () => {
  test('makes one message of a text, and gives messages as they are', async () => {
    const { wire } = await serving(review, talk);
    expect(await wire.request('prompts/get', { name: 'review', arguments: { file: 'a.ts' } })).toEqual({
      description: 'Reviews a file',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review a.ts, plain' } }],
    });
    expect(await wire.request('prompts/get', { name: 'talk' })).toEqual({
      messages: [
        { role: 'user', content: { type: 'text', text: 'Hello' } },
        { role: 'assistant', content: { type: 'text', text: 'Hi' } },
      ],
    });
  });

  test.each<[string, Record<string, unknown>, number, RegExp]>([
    ['a missing argument', { name: 'review' }, -32602, /^Prompt "review" needs the argument file\.$/],
    ['arguments that are no object', { name: 'review', arguments: 'a.ts' }, -32602, /must be an object/],
    ['an unknown prompt', { name: 'rewiev' }, -32602, /^Prompt not found: rewiev$/],
    ['no name', {}, -32602, /`name` must be a string/],
    ['a prompt that fails', { name: 'bad' }, -32603, /^no such file$/],
    ['a required name that every object has', { name: 'odd' }, -32602, /needs the argument constructor/],
  ])('refuses %s', async (_, params, code, message) => {
    const bad: PromptDefinition = {
      name: 'bad',
      get: () => {
        throw new Error('no such file');
      },
    };
    const odd: PromptDefinition = {
      name: 'odd',
      arguments: [{ name: 'constructor', required: true }],
      get: () => '',
    };
    const fault = await (await serving(review, bad, odd)).wire.fault('prompts/get', params);
    expect(fault).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('completion/complete', () => {
  const complete = async (ref: object, argument: object) => {
    const many: PromptDefinition = {
      name: 'many',
      arguments: [{ name: 'n', complete: () => Array.from({ length: 250 }, (_, index) => `${index}`) }],
      get: () => '',
    };
    return (await serving(review, many)).wire.exchange('completion/complete', { ref, argument });
  };

  test('proposes what the argument proposes, a hundred at most', async () => {
    const prompt = { type: 'ref/prompt', name: 'review' };
    expect(await complete(prompt, { name: 'tone', value: 'ki' })).toMatchObject({
      result: { completion: { values: ['kind'], total: 1, hasMore: false } },
    });
    expect(await complete(prompt, { name: 'file', value: 'a' })).toMatchObject({
      result: { completion: { values: ['a.ts'] } },
    });
    for (const name of ['depth', 'unknown']) {
      expect(await complete(prompt, { name, value: '' })).toMatchObject({
        result: { completion: { values: [], total: 0 } },
      });
    }
    const many = await complete({ type: 'ref/prompt', name: 'many' }, { name: 'n', value: '' });
    expect(many).toMatchObject({ result: { completion: { total: 250, hasMore: true } } });
    const { completion } = (many as JsonRpcSuccess).result as { completion: { values: string[] } };
    expect(completion.values).toHaveLength(100);
  });

  test('refuses what it does not know', async () => {
    const argument = { name: 'a', value: '' };
    expect(await complete({ type: 'ref/tool', name: 'x' }, argument)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await complete({}, argument)).toMatchObject({ error: { code: -32602 } });
    expect(await complete({ type: 'ref/prompt' }, argument)).toMatchObject({ error: { code: -32602 } });
    expect(await complete({ type: 'ref/prompt', name: 'review' }, {})).toMatchObject({
      error: { code: -32602 },
    });
  });
});

test('they may come and go, and no two have one name', async () => {
  const { instance, wire } = await serving(review);
  instance.addPrompt(talk);
  expect(() => instance.addPrompt(talk)).toThrow(
    'There are two prompts named "talk". Give one of them another name.',
  );
  expect(instance.removePrompt('review')).toBe(true);
  expect(instance.removePrompt('review')).toBe(false);
  expect(await wire.request('prompts/list')).toEqual({ prompts: [{ name: 'talk' }] });
  expect(wire.notifications.map(({ method }) => method)).toEqual([
    'notifications/prompts/list_changed',
    'notifications/prompts/list_changed',
  ]);
});

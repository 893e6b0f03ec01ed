/** The client of the MCP library understands all of it: pages, resources, prompts, logging, questions, structure (R7, pain 56). */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  type CreateSdkMcpServerOptions,
  content,
  createSdkMcpServer,
  type McpTransport,
  tool,
} from '../../../src/index.js';

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connected(options: Omit<CreateSdkMcpServerOptions, 'name'>, capabilities: object = {}) {
  const { instance } = createSdkMcpServer({ name: 's', ...options });
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  clients.push(client);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const connect = async () => {
    await Promise.all([client.connect(theirs), instance.connect(ours as McpTransport)]);
  };
  return { client, instance, connect };
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

describe('lists', () => {
  test('of more than a thousand tools come in pages', async () => {
    const tools = Array.from({ length: 2_345 }, (_, index) => tool(`t${index}`, 'd', {}, () => ''));
    const { client, connect } = await connected({ tools });
    await connect();
    const names: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      names.push(...page.tools.map(({ name }) => name));
      sizes.push(page.tools.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([1_000, 1_000, 345]);
    expect(names).toEqual(tools.map(({ name }) => name));
    for (const bad of ['', 'next', '-1', '1e3', '0x10', ' 1']) {
      await expect(client.listTools({ cursor: bad }), JSON.stringify(bad)).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  test('that change are heard of', async () => {
    const { client, instance, connect } = await connected({
      resources: [{ uri: 'a:1', name: 'a', read: () => '' }],
      prompts: [{ name: 'p', get: () => '' }],
    });
    const heard: string[] = [];
    for (const schema of [
      ToolListChangedNotificationSchema,
      ResourceListChangedNotificationSchema,
      PromptListChangedNotificationSchema,
    ]) {
      client.setNotificationHandler(schema, ({ method }) => void heard.push(method));
    }
    await connect();
    instance.addTool('t', 'd', {}, () => '');
    instance.addResource({ uri: 'a:2', name: 'b', read: () => '' });
    instance.addPrompt({ name: 'q', get: () => '' });
    await vi.waitUntil(() => heard.length === 3);
    expect(heard).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
    ]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['t']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a:1', 'a:2']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['p', 'q']);
  });
});

test('capabilities are those that the server has', async () => {
  const bare = await connected({});
  await bare.connect();
  expect(bare.client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} });
  const full = await connected({
    resources: [{ uri: 'a:1', name: 'a', read: () => '' }],
    prompts: [{ name: 'p', get: () => '' }],
  });
  await full.connect();
  expect(full.client.getServerCapabilities()).toEqual({
    tools: { listChanged: true },
    logging: {},
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
  });
});

test('resources are listed, read, completed and watched', async () => {
  const { client, instance, connect } = await connected({
    resources: [
      { uri: 'a:bytes', name: 'bytes', mimeType: 'image/png', read: () => Buffer.from([1]) },
      {
        uriTemplate: 'memo://{id}',
        name: 'memos',
        read: (_uri, { id }) => `memo ${id}`,
        list: () => [{ uri: 'memo://1', name: 'one' }],
        complete: { id: (start) => [`${start}1`] },
      },
    ],
  });
  const updated: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updated.push(params.uri),
  );
  await connect();
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a:bytes', 'memo://1']);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: 'memo://{id}' },
  ]);
  expect(await client.readResource({ uri: 'memo://7' })).toEqual({
    contents: [{ uri: 'memo://7', text: 'memo 7' }],
  });
  expect(await client.readResource({ uri: 'a:bytes' })).toMatchObject({ contents: [{ blob: 'AQ==' }] });
  await expect(client.readResource({ uri: 'b:1' })).rejects.toMatchObject({ code: -32002 });
  const ref = { type: 'ref/resource' as const, uri: 'memo://{id}' };
  expect(await client.complete({ ref, argument: { name: 'id', value: '2' } })).toMatchObject({
    completion: { values: ['21'] },
  });
  instance.resourceUpdated('memo://7');
  await client.subscribeResource({ uri: 'memo://7' });
  instance.resourceUpdated('memo://7');
  instance.resourceUpdated('memo://8');
  await vi.waitUntil(() => updated.length > 0);
  await client.unsubscribeResource({ uri: 'memo://7' });
  instance.resourceUpdated('memo://7');
  await client.ping();
  expect(updated).toEqual(['memo://7']);
});

test('prompts are listed, filled in and completed', async () => {
  const { client, connect } = await connected({
    prompts: [
      {
        name: 'greet',
        description: 'Greets',
        arguments: [{ name: 'who', required: true, complete: (start) => [`${start}a`] }],
        get: ({ who }) => `Hello, ${who}`,
      },
    ],
  });
  await connect();
  expect((await client.listPrompts()).prompts).toEqual([
    { name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] },
  ]);
  expect(await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).toEqual({
    description: 'Greets',
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello, Ada' } }],
  });
  await expect(client.getPrompt({ name: 'greet' })).rejects.toMatchObject({ code: -32602 });
  const ref = { type: 'ref/prompt' as const, name: 'greet' };
  expect(await client.complete({ ref, argument: { name: 'who', value: 'Ad' } })).toMatchObject({
    completion: { values: ['Ada'] },
  });
});

test('logs come from the level on that the client sets', async () => {
  const talk = tool('talk', 'd', {}, (_args, { log }) => {
    for (const level of [
      'debug',
      'info',
      'notice',
      'warning',
      'error',
      'critical',
      'alert',
      'emergency',
    ] as const)
      log(level, { level });
  });
  const { client, connect } = await connected({ tools: [talk] });
  const heard: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
  await connect();
  await client.callTool({ name: 'talk' });
  expect(heard).toHaveLength(8);
  await client.setLoggingLevel('error');
  await client.callTool({ name: 'talk' });
  expect(heard.slice(8)).toEqual(
    ['error', 'critical', 'alert', 'emergency'].map((level) => ({ level, logger: 's', data: { level } })),
  );
});

test('a handler asks the client for words of a person and of a model', async () => {
  const ask = tool('ask', 'd', {}, async (_args, { elicit, sample }) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const person = await elicit({ message: 'Who?', requestedSchema });
    const model = await sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    });
    return { person, model };
  });
  const { client, connect } = await connected({ tools: [ask] }, { elicitation: {}, sampling: {} });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: { name: `asked: ${params.message}` },
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Hello' },
  }));
  await connect();
  expect(JSON.parse(textOf(await client.callTool({ name: 'ask' })) ?? '')).toEqual({
    person: { action: 'accept', content: { name: 'asked: Who?' } },
    model: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } },
  });
});

describe('a client that cannot be asked', () => {
  test('has the handler hear of it at once', async () => {
    const ask = tool('ask', 'd', {}, (_args, { elicit }) => elicit({ message: 'Who?' }));
    const { client, connect } = await connected({ tools: [ask] });
    await connect();
    expect(await client.callTool({ name: 'ask' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Method not found/) }],
    });
  });
});

describe('structure', () => {
  test('passes the client’s own check against the listed schema, also when its text is cut', async () => {
    const outputSchema = {
      unit: z.string().default('km'),
      length: z.string().transform(Number).pipe(z.number()),
      at: z.date(),
      list: z.array(z.string()),
    };
    const measure = tool(
      'measure',
      'd',
      { count: z.number() },
      ({ count }) => ({ length: '4', at: new Date(0), list: Array.from({ length: count }, () => 'x') }),
      { outputSchema, maxResultChars: 200 },
    );
    const { client, connect } = await connected({ tools: [measure] });
    await connect();
    // The client knows the schemas once it has listed.
    await client.listTools();
    const short = await client.callTool({ name: 'measure', arguments: { count: 1 } });
    const structuredContent = { unit: 'km', length: 4, at: '1970-01-01T00:00:00.000Z', list: ['x'] };
    expect(short).toEqual({
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    });
    const long = await client.callTool({ name: 'measure', arguments: { count: 100 } });
    expect(textOf(long)).toMatch(/\[Cut here: characters 1 to 200 of \d+\./);
    const uri = /resource (\S+)\]$/.exec(textOf(long) ?? '')?.[1] ?? '';
    expect((await client.readResource({ uri })).contents).toMatchObject([{ mimeType: 'text/plain' }]);
  });

  test('that does not fit is a failure, which needs none', async () => {
    const measure = tool('measure', 'd', {}, () => ({ length: 'x' }) as never, {
      outputSchema: { length: z.number() },
    });
    const { client, connect } = await connected({ tools: [measure] });
    await connect();
    await client.listTools();
    expect(await client.callTool({ name: 'measure' })).toMatchObject({ isError: true });
  });
});

test('results of every kind pass the client’s own check', async () => {
  const image = Buffer.from('\x89PNG....', 'latin1');
  const kinds: Record<string, () => unknown> = {
    text: () => 'x',
    nothing: () => undefined,
    json: () => ({ a: 1n }),
    bytes: () => image,
    parts: () => [
      content.text('x'),
      content.image(image),
      content.audio(Buffer.from('RIFF....WAVE')),
      content.resourceLink({ uri: 'a:1', name: 'a' }),
      content.resource('a:1', 'text'),
      content.resource('a:2', Buffer.from([1])),
    ],
    thrown: () => {
      throw new Error('no');
    },
  };
  const tools = Object.entries(kinds).map(([name, handler]) => tool(name, 'd', {}, handler as () => string));
  const { client, connect } = await connected({ tools });
  await connect();
  for (const name of Object.keys(kinds)) {
    const result = await client.callTool({ name });
    expect(result.isError ?? false, name).toBe(name === 'thrown');
    expect((result.content as unknown[]).length, name).toBe(
      name === 'parts' ? 6 : name === 'nothing' ? 0 : 1,
    );
  }
});

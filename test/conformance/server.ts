/** What the conformance suite wants to find in a server, made with Tenon's public API alone. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import {
  type AnyTool,
  content,
  createSdkMcpServer,
  type PromptDefinition,
  type ResourceDefinition,
  type SdkMcpServerConfig,
  type ToolContext,
  tool,
} from '../../src/index.js';

/** One red pixel, and no sound at all. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

async function ask(context: ToolContext, message: string, requestedSchema: object): Promise<string> {
  const { action, content: answer } = await context.elicit({ message, requestedSchema });
  return `Elicitation completed: action=${action}, content=${JSON.stringify(answer)}`;
}

const results: AnyTool[] = [
  tool('test_simple_text', 'Returns text', {}, () => 'This is a simple text response for testing.'),
  tool('test_image_content', 'Returns an image', {}, () => content.image(png)),
  tool('test_audio_content', 'Returns sound', {}, () => content.audio(wav)),
  tool('test_embedded_resource', 'Returns a resource', {}, () =>
    content.resource('test://embedded-resource', 'This is an embedded resource content.', 'text/plain'),
  ),
  tool('test_multiple_content_types', 'Returns several things', {}, () => [
    content.text('Multiple content types test:'),
    content.image(png),
    content.resource('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
  ]),
  tool('test_error_handling', 'Fails', {}, () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
];

const whileRunning: AnyTool[] = [
  tool('test_tool_with_logging', 'Logs', {}, async (_args, { log }) => {
    log('info', 'Tool execution started');
    await wait(50);
    log('info', 'Tool processing data');
    await wait(50);
    log('info', 'Tool execution completed');
    return 'Logged.';
  }),
  tool('test_tool_with_progress', 'Reports progress', {}, async (_args, { reportProgress }) => {
    reportProgress(0, 100);
    await wait(50);
    reportProgress(50, 100);
    await wait(50);
    reportProgress(100, 100);
    return 'Reported.';
  }),
  tool('test_reconnection', 'Takes a while', {}, async () => {
    await wait(100);
    return 'Reconnection test completed successfully';
  }),
];

const asking: AnyTool[] = [
  tool('test_sampling', 'Asks a model', { prompt: z.string() }, async ({ prompt }, { sample }) => {
    const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
    const answer = await sample({ messages, maxTokens: 100 });
    return `LLM response: ${(answer.content as { text: string }).text}`;
  }),
  tool('test_elicitation', 'Asks the person', { message: z.string() }, ({ message }, context) =>
    ask(context, message, {
      type: 'object',
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    }),
  ),
  tool('test_elicitation_sep1034_defaults', 'Asks with defaults', {}, (_args, context) =>
    ask(context, 'Please review', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  ),
  tool('test_elicitation_sep1330_enums', 'Asks for choices', {}, (_args, context) => {
    const options = ['option1', 'option2', 'option3'];
    const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Choice ${number}` }));
    const enumNames = ['Option One', 'Option Two', 'Option Three'];
    return ask(context, 'Please choose', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    });
  }),
];

const plainJsonSchema = tool(
  'json_schema_2020_12_tool',
  'Tool with JSON Schema 2020-12 features',
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
  (args) => args,
);

const resources: ResourceDefinition[] = [
  {
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  },
  {
    uri: 'test://static-binary',
    name: 'Static bytes',
    description: 'An image',
    mimeType: 'image/png',
    read: () => Buffer.from(png, 'base64'),
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched',
    description: 'Something to subscribe to',
    mimeType: 'text/plain',
    read: () => 'Watched resource content',
  },
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'Templated',
    description: 'Data by its number',
    mimeType: 'application/json',
    read: (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
];

const prompts: PromptDefinition[] = [
  {
    name: 'test_simple_prompt',
    description: 'A prompt without arguments',
    get: () => 'This is a simple prompt for testing.',
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments',
    arguments: [
      {
        name: 'arg1',
        description: 'First test argument',
        required: true,
        complete: (value) => ['paris', 'park', 'party'].filter((proposal) => proposal.startsWith(value)),
      },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: ({ resourceUri = '' }) => [
      {
        role: 'user',
        content: content.resource(resourceUri, 'Embedded resource content for testing.', 'text/plain'),
      },
      { role: 'user', content: content.text('Please process the embedded resource above.') },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt with an image in it',
    get: () => [
      { role: 'user', content: content.image(png) },
      { role: 'user', content: content.text('Please analyze the image above.') },
    ],
  },
];

export function conformanceServer(): SdkMcpServerConfig {
  const tools = [...results, ...whileRunning, ...asking, plainJsonSchema];
  return createSdkMcpServer({ name: 'conformance', tools, resources, prompts });
}

/** What handlers may return, and how servers take tools of all kinds (R4, R5). Compiled by `npm run check`, never run. */
import { type } from 'arktype';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import {
  type AnyTool,
  type CallToolResult,
  content,
  createSdkMcpServer,
  type InferResult,
  type SdkMcpToolDefinition,
  tool,
} from '../../../src/index.js';

// Without an output schema: anything that can be said.
tool('anything', 'd', {}, () => 'text');
tool('anything', 'd', {}, async () => 42);
tool('anything', 'd', {}, () => 5n);
tool('anything', 'd', {}, () => null);
tool('anything', 'd', {}, () => {});
tool('anything', 'd', {}, () => ({ a: [1] }));
tool('anything', 'd', {}, () => Buffer.from([1]));
tool('anything', 'd', {}, () => content.text('x'));
tool('anything', 'd', {}, () => [content.text('x'), content.image('AA==', 'image/png')]);
tool('anything', 'd', {}, async function* () {
  yield 'x';
});
tool('anything', 'd', {}, (): CallToolResult => ({ content: [], isError: true }));
// @ts-expect-error A symbol cannot be said.
tool('wrong', 'd', {}, () => Symbol('x'));

// With one: what it takes, or a whole result.
const outputSchema = { answer: z.number(), unit: z.string().default('km') };
tool('typed', 'd', {}, () => ({ answer: 42 }), { outputSchema });
tool('typed', 'd', {}, async () => ({ answer: 42, unit: 'm' }), { outputSchema: z.object(outputSchema) });
tool('typed', 'd', {}, (): CallToolResult => ({ content: [], structuredContent: { answer: 42 } }), {
  outputSchema,
});
tool('typed', 'd', {}, () => ({ n: 'text' }), { outputSchema: { n: z.string().transform(Number) } });
tool('typed', 'd', {}, () => ({ n: 1 }), { outputSchema: z3.object({ n: z3.number() }) });
tool('typed', 'd', {}, () => ({ n: 1 }), { outputSchema: type({ n: 'number' }) });
tool('typed', 'd', {}, () => ({ list: ['x'] }), {
  outputSchema: {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'string' } } },
    required: ['list'],
  },
});
// @ts-expect-error Another type than the schema's.
tool('wrong', 'd', {}, () => ({ answer: 'forty-two' }), { outputSchema });
// @ts-expect-error Nothing where the schema wants something.
tool('wrong', 'd', {}, () => {}, { outputSchema });
// @ts-expect-error A text where the schema wants an object.
tool('wrong', 'd', {}, () => '42', { outputSchema });
// @ts-expect-error A key is missing.
tool('wrong', 'd', {}, async () => ({ unit: 'm' }), { outputSchema });
tool(
  'wrong',
  'd',
  {},
  // @ts-expect-error A list of another kind.
  () => ({ list: [1] }),
  {
    outputSchema: {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string' } } },
      required: ['list'],
    },
  },
);

expectTypeOf<InferResult<typeof outputSchema>>().toEqualTypeOf<{
  answer: number;
  unit?: string | undefined;
}>();
expectTypeOf<InferResult<z.ZodDate>>().toEqualTypeOf<Date>();

// Tools of all kinds in one list, and in one server.
const tools = [
  tool('shape', 'd', { a: z.number() }, ({ a }) => a),
  tool('object', 'd', z3.object({ b: z3.string() }), ({ b }) => b),
  tool('typed', 'd', {}, () => ({ answer: 42 }), { outputSchema }),
  tool('plain', 'd', { type: 'object', properties: { c: { type: 'string' } } }, ({ c }) => c ?? ''),
];
const server = createSdkMcpServer({ name: 's', tools });
createSdkMcpServer({ name: 's', tools: [tool('a', 'd', { a: z.number() }, ({ a }) => a)] });
const byHand: AnyTool = { name: 'x', description: 'd', inputSchema: { a: z.string() }, handler: () => 'x' };
createSdkMcpServer({ name: 's', tools: [byHand, { ...byHand, name: 'y' }] });
const kept: SdkMcpToolDefinition<{ a: z.ZodNumber }> = tool('a', 'd', { a: z.number() }, ({ a }) => a);
createSdkMcpServer({ name: 's', tools: [kept] });
// @ts-expect-error No handler.
createSdkMcpServer({ name: 's', tools: [{ name: 'x', description: 'd', inputSchema: {} }] });

// Added later, with the same inference.
server.addTool('later', 'd', { n: z.number(), tag: z.string().optional() }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ n: number; tag?: string | undefined }>();
});
server.addTool(
  'later',
  'd',
  { type: 'object', properties: { k: { enum: ['a', 'b'] } }, required: ['k'] },
  ({ k }) => {
    expectTypeOf(k).toEqualTypeOf<'a' | 'b'>();
  },
);
server.addTool('later', 'd', {}, () => ({ answer: 1 }), { outputSchema, timeout: 5, concurrency: 'serial' });
server.addTool(tools[0]!);
server.instance.addTool('later', 'd', { n: z.number() }, ({ n }) => n);
server.setTools(tools);
expectTypeOf(server.removeTool('later')).toEqualTypeOf<boolean>();
// @ts-expect-error Another type than the schema's.
server.addTool('wrong', 'd', {}, () => ({ answer: 'x' }), { outputSchema });
// @ts-expect-error A handler that wants other arguments.
server.addTool('wrong', 'd', { n: z.number() }, ({ n }: { n: string }) => n);
// @ts-expect-error No such order.
tool('wrong', 'd', {}, () => '', { concurrency: 'parralel' });

// Resources and prompts.
createSdkMcpServer({
  name: 's',
  resources: [
    { uri: 'a:1', name: 'a', read: (uri, { signal }) => (signal.aborted ? '' : uri) },
    { uriTemplate: 'a://{id}', name: 'b', read: (_uri, { id }) => Buffer.from(id ?? '') },
  ],
  prompts: [{ name: 'p', arguments: [{ name: 'file' }], get: ({ file }) => `Review ${file}` }],
});

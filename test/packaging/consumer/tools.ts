// Tools in a consumer's program: what is right compiles, what is wrong does not.
import { createSdkMcpServer, type SdkMcpToolDefinition, tool } from 'tenon';
import { z } from 'zod';

const add = tool('add', 'Adds', { a: z.number(), b: z.number().default(1) }, ({ a, b }) => a + b);
const greet = tool('greet', 'Greets', z.object({ name: z.string() }), async ({ name }) => `Hello ${name}`);
const plain: SdkMcpToolDefinition<{ a: z.ZodNumber }> = tool('plain', 'Plain', { a: z.number() }, () => {});

export const server = createSdkMcpServer({ name: 's', tools: [add, greet, plain], alwaysLoad: true });

// @ts-expect-error The handler wants what the schema does not give.
tool('t', 'd', { a: z.number() }, ({ b }) => b);
// @ts-expect-error A number has no length.
tool('t', 'd', { a: z.number() }, ({ a }) => a.length);
// @ts-expect-error The argument is optional.
tool('t', 'd', { a: z.string().optional() }, ({ a }) => a.length);
// @ts-expect-error No such extra.
tool('t', 'd', {}, () => '', { hint: 'x' });
// @ts-expect-error A shape holds schemas.
tool('t', 'd', { a: 'string' }, () => '');
// @ts-expect-error A server has a name.
createSdkMcpServer({ tools: [add] });
// @ts-expect-error Tools are definitions.
createSdkMcpServer({ name: 's', tools: ['add'] });

/** `aiSdk()` with the real provider packages, against a server that answers like the vendors' APIs (R41). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, query, tool } from '../../../src/index.js';
import { aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { embedded } from '../../../src/runtime/index.js';
import { CELLS, vendorServer } from './providers.js';

describe.each(CELLS)('$provider, specification $version', ({ model }) => {
  it('calls a tool, reads its result and answers', async () => {
    await using server = await vendorServer([
      { toolCalls: [{ name: 'mcp__calc__add', arguments: '{"a":15,"b":27}' }] },
      { content: 'It is 42.' },
    ]);
    const calls: unknown[] = [];
    const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, (args) => {
      calls.push(args);
      return args.a + args.b;
    });
    const messages = [];
    for await (const message of query({
      prompt: 'What is 15 + 27?',
      options: {
        runtime: embedded({ model: aiSdk(await model(server.url), { maxRetries: 0 }) }),
        mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
        allowedTools: ['mcp__calc__*'],
        systemPrompt: 'Be brief.',
      },
    })) {
      messages.push(message);
    }
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', is_error: false, result: 'It is 42.' });
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('Be brief.');
    expect(second).toContain('42');
  });
});

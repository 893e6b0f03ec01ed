/** The least that is an agent with a tool; its bundle is measured. */
import { createSdkMcpServer, query, tool } from 'tenon';
import { embedded, modelFromFunction } from 'tenon/runtime';

const greet = tool(
  'greet',
  'Greets',
  { type: 'object', properties: { name: { type: 'string' } } },
  ({ name }) => `Hello ${name}`,
);
const desk = createSdkMcpServer({ name: 'desk', tools: [greet] });

/** Asks for the tool, then says what it answered. */
const model = modelFromFunction(({ messages: [, , answer] }) =>
  answer === undefined
    ? { toolCalls: [{ name: 'mcp__desk__greet', input: { name: 'Ada' } }] }
    : answer.content[0].content[0].text,
);

export default {
  async fetch() {
    const options = { runtime: embedded({ model }), mcpServers: { desk }, allowedTools: ['mcp__desk'] };
    const { result } = await query({ prompt: 'Go.', options }).done;
    return new Response(result);
  },
};

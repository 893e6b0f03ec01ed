/** What the model sees of a tool's result on the runtime: the right column of the table in docs/guide/writing-tools.md. */
import { expect, test } from 'vitest';
import { content, createSdkMcpServer, type McpServerConfig, query, tool } from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The content of the `tool_result` that the model's second request carries. */
function seenByModel(handler: () => unknown): Promise<unknown> {
  const show = tool('show', 'Shows something', {}, () => handler() as object);
  return shownBy(createSdkMcpServer({ name: 'calc', tools: [show] }));
}

async function shownBy(calc: McpServerConfig): Promise<unknown> {
  const model = scriptedModel([{ toolUses: [{ name: 'mcp__calc__show' }] }, 'Done.']);
  const options = { runtime: embedded({ model }), mcpServers: { calc }, allowedTools: ['mcp__calc'] };
  await query({ prompt: 'go', options }).done;
  const last = model.requests[1]?.messages.at(-1)?.content;
  const [result] = Array.isArray(last) ? last : [];
  return result?.type === 'tool_result' ? result.content : undefined;
}

const text = (words: unknown) => ({ type: 'text', text: words });

test.each<[string, () => unknown, unknown]>([
  ['a string', () => 'words', [text('words')]],
  ['an object', () => ({ a: 1 }), [text('{"a":1}')]],
  ['nothing', () => undefined, '(mcp__calc__show completed with no output)'],
  [
    'bytes of an image',
    () => PNG,
    [{ type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) }],
  ],
  [
    'audio',
    () => content.audio(Buffer.from('RIFF....WAVE'), 'audio/wav'),
    [text(expect.stringContaining('[Audio from calc: audio/wav'))],
  ],
  ['other bytes', () => Buffer.from([1, 2, 3]), [text(expect.stringContaining('[Resource from calc at '))]],
  [
    'a link',
    () => content.resourceLink({ uri: 'x://1', name: 'one', description: 'first' }),
    [text('[Resource link: one] x://1 (first)')],
  ],
  ['a resource', () => content.resource('x://1', 'inside'), [text('[Resource from calc at x://1] inside')]],
  [
    'structure beside an image',
    () => ({ content: [content.image(PNG)], structuredContent: { a: 1 } }),
    [expect.objectContaining({ type: 'image' }), text('{"a":1}')],
  ],
])('%s reaches the model as the guide says (R4, pain 22)', async (_kind, handler, expected) => {
  expect(await seenByModel(handler)).toEqual(expected);
});

test('a kind of content that nobody knows yet is named, and spoils nothing', async () => {
  const newer = `
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'newer', version: '1' } },
      'tools/list': { tools: [{ name: 'show', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'hologram', data: 'x' }, { type: 'text', text: 'words' }] },
    };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
    });`;
  const seen = await shownBy({ command: process.execPath, args: ['-e', newer] });
  expect(seen).toEqual([text('[hologram]'), text('words')]);
});

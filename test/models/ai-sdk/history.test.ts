/** What of a conversation is sent back to models, as it goes over the wire (R41). */
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import { aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { anthropic } from '../../../src/models/anthropic/anthropic.js';
import { type AgentRuntime, embedded, InMemorySessionStore } from '../../../src/runtime/index.js';
import type { Loose } from '../../runtime/support.js';
import { CELLS, type ProviderCell } from './providers.js';
import { converse, PIXEL, tools } from './support.js';
import { type Body, wireServer } from './wire-server.js';

const THOUGHT = 'Hm, a dot.';
const SIGNATURE = 'c2lnbmVkLWJ5LXRoZS12ZW5kb3I=';
const thinking = { text: THOUGHT, signature: SIGNATURE };
const draw = { id: 'call_1', name: 'mcp__s__draw', input: {} };
const say = { id: 'call_1', name: 'mcp__s__say', input: {} };

/** Where an image of a tool result stands in the body of each API. */
const IMAGES: Readonly<Record<string, (body: Body) => unknown>> = {
  'openai chat': ({ messages }) => messages.at(-1).content.at(-1),
  'openai-compatible': ({ messages }) => messages.at(-1).content.at(-1),
  'openai responses': ({ input }) => input.at(-1).output.at(-1),
  anthropic: ({ messages }) => messages.at(-1).content[0].content.at(-1),
  google: ({ contents }) => contents.at(-1),
  'amazon-bedrock': ({ messages }) => messages.at(-1).content[0].toolResult.content.at(-1),
};

const SENT_IMAGES: Readonly<Record<string, object>> = {
  'openai chat': { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  'openai-compatible': { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  'openai responses': { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
  anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
  'amazon-bedrock': { image: { format: 'png', source: { bytes: PIXEL } } },
};

/** Where the thoughts of the first answer stand in the request after it. */
const THOUGHTS: Readonly<Record<string, (body: Body) => unknown>> = {
  'openai responses': ({ input }) => input[1],
  'openai-compatible': ({ messages }) => messages.find(({ role }: Loose) => role === 'assistant'),
  anthropic: ({ messages }) => messages[1].content[0],
  google: ({ contents }) => contents[1].parts.at(-1),
  'amazon-bedrock': ({ messages }) => messages[1].content[0],
};

const SENT_THOUGHTS: Readonly<Record<string, object>> = {
  'openai responses': { type: 'reasoning', encrypted_content: SIGNATURE },
  'openai-compatible': { role: 'assistant', reasoning_content: THOUGHT },
  anthropic: { type: 'thinking', thinking: THOUGHT, signature: SIGNATURE },
  google: { functionCall: { name: 'mcp__s__say' }, thoughtSignature: SIGNATURE },
  'amazon-bedrock': { reasoningContent: { reasoningText: { text: THOUGHT, signature: SIGNATURE } } },
};

/** Chat completions have no thoughts, and the first line for compatible servers never sends them back. */
const thinkers = CELLS.filter(
  ({ provider, version }) =>
    provider !== 'openai chat' && `${provider} ${version}` !== 'openai-compatible v2',
);

/** OpenAI keeps thoughts itself and gets references, unless it is told not to. */
const stateless = { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } };

function another({ provider, version }: ProviderCell): ProviderCell {
  const wanted = provider === 'anthropic' ? 'google' : 'anthropic';
  return CELLS.find((cell) => cell.provider === wanted && cell.version === version) as ProviderCell;
}

async function ask(runtime: AgentRuntime, store: InMemorySessionStore, more: object = {}): Promise<string> {
  let session = '';
  const options = { runtime, sessionStore: store, ...more };
  for await (const message of query({ prompt: 'Go.', options }) as AsyncIterable<unknown>)
    session = (message as Loose).session_id as string;
  return session;
}

describe.each(CELLS)('$provider, specification $version (R41)', (cell) => {
  it('gets an image in a tool result as an image', async () => {
    const { requests, result } = await converse(cell, [{ calls: [draw] }, { text: ['A dot.'] }]);
    expect(result).toMatchObject({ is_error: false, result: 'A dot.' });
    const body = requests[1]?.body;
    const image = IMAGES[cell.provider]?.(body);
    if (cell.provider === 'google')
      expect(JSON.stringify(image)).toContain(`"mimeType":"image/png","data":"${PIXEL}"`);
    else expect(image).toMatchObject(SENT_IMAGES[cell.provider] as object);
    // Once, and not as text beside it.
    expect(JSON.stringify(body).split(PIXEL)).toHaveLength(2);
    expect(JSON.stringify(body)).toContain('A dot:');
  });

  it('gets neither thoughts nor signatures of another model', async () => {
    const other = another(cell);
    await using server = await wireServer([
      { thinking, text: ['A dot.'] },
      { text: ['Well.'] },
      { text: ['Yes.'] },
    ]);
    const model = aiSdk(await other.model(server.url), { models: { this: await cell.model(server.url) } });
    const runtime = embedded({ model });
    const store = new InMemorySessionStore();
    const resume = await ask(runtime, store);
    await ask(runtime, store, { resume, model: 'this' });
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('A dot.');
    for (const kept of [THOUGHT, SIGNATURE, 'provider_metadata']) expect(sent).not.toContain(kept);
    // The one that thought them has them again.
    await ask(runtime, store, { resume });
    expect(JSON.stringify(server.requests[2]?.body)).toContain(
      other.provider === 'google' ? 'A dot.' : SIGNATURE,
    );
  });
});

describe.each(thinkers)('thoughts with $provider, specification $version (R41)', (cell) => {
  it('are kept with their signature and sent back', async () => {
    const adapter = cell.provider === 'openai responses' ? stateless : {};
    const { requests, messages, result } = await converse(
      cell,
      [{ thinking, calls: [say] }, { text: ['Done.'] }],
      { adapter },
    );
    expect(result).toMatchObject({ is_error: false, result: 'Done.' });
    const kinds = messages.flatMap(({ type, message }) =>
      type === 'assistant' ? (message as { content: Loose[] }).content.map(({ type: kind }) => kind) : [],
    );
    expect(kinds).toEqual(['thinking', 'tool_use', 'text']);
    expect(THOUGHTS[cell.provider]?.(requests[1]?.body)).toMatchObject(
      SENT_THOUGHTS[cell.provider] as object,
    );
  });

  it('are left out when the stored conversation goes on with anthropic()', async () => {
    await using server = await wireServer([
      { thinking, calls: [say] },
      { text: ['Done.'] },
      { text: ['Yes.'] },
    ]);
    const { server: s } = tools();
    const store = new InMemorySessionStore();
    const more = { mcpServers: { s }, allowedTools: ['mcp__s'] };
    const resume = await ask(embedded({ model: aiSdk(await cell.model(server.url)) }), store, more);
    const claude = embedded({ model: anthropic({ apiKey: 'test', baseURL: server.url }) });
    await ask(claude, store, { ...more, resume });
    const body = server.requests[2]?.body;
    expect(body.messages.map(({ role }: Loose) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    const sent = JSON.stringify(body);
    for (const kept of [THOUGHT, SIGNATURE, 'provider_metadata']) expect(sent).not.toContain(kept);
  });
});

it('gets references to what OpenAI keeps itself (R41)', async () => {
  for (const cell of CELLS.filter(({ provider }) => provider === 'openai responses')) {
    const { requests } = await converse(cell, [{ thinking, calls: [say] }, { text: ['Done.'] }]);
    expect(requests[1]?.body.input[1]).toEqual({ type: 'item_reference', id: 'rs_1' });
  }
});

/** What the scripted model is told of each kind of result, by the real CLI (R4; pains 22, 41). */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { content, createSdkMcpServer, tool } from '../../src/index.js';
import { text, toolUse, toolUses } from '../../src/testing/index.js';
import { blocksOf, runCli, succeeded, wordsOf } from './support.js';

/** A red dot of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const PNG = Buffer.from(PIXEL, 'base64');

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
const circular: Record<string, unknown> = {};
circular.self = circular;

/** What a handler returns, and what the model then sees. */
const KINDS: Record<string, { returned: () => unknown; told: unknown; output?: boolean }> = {
  string: { returned: () => 'hello', told: [{ type: 'text', text: 'hello' }] },
  number: { returned: () => 42, told: [{ type: 'text', text: '42' }] },
  boolean: { returned: () => false, told: [{ type: 'text', text: 'false' }] },
  nothing: { returned: () => undefined, told: '(mcp__test__nothing completed with no output)' },
  null: { returned: () => null, told: [{ type: 'text', text: 'null' }] },
  json: { returned: () => ({ a: [1, 5n] }), told: [{ type: 'text', text: '{"a":[1,"5"]}' }] },
  stream: {
    returned: async function* () {
      yield 'one, ';
      yield 'two';
    },
    told: [{ type: 'text', text: 'one, two' }],
  },
  image: {
    returned: () => PNG,
    told: [image, { type: 'text', text: expect.stringMatching(/^\[Image: source: .*\.png\]$/) }],
  },
  audio: {
    returned: () => content.audio(Buffer.from('RIFF....WAVEfmt ')),
    told: [
      {
        type: 'text',
        text: expect.stringMatching(/^\[Audio from test\] Binary content \(audio\/wav, 16 bytes\) saved to /),
      },
    ],
  },
  bytes: {
    returned: () => Buffer.from([1, 2, 3]),
    told: [
      {
        type: 'text',
        text: expect.stringMatching(/Binary content \(application\/octet-stream, 3 bytes\) saved to /),
      },
    ],
  },
  link: {
    returned: () => content.resourceLink({ uri: 'memo://1', name: 'memo', description: 'The first' }),
    told: [{ type: 'text', text: '[Resource link: memo] memo://1 (The first)' }],
  },
  resource: {
    returned: () => content.resource('memo://1', 'buy milk', 'text/plain'),
    told: [{ type: 'text', text: '[Resource from test at memo://1] buy milk' }],
  },
  parts: {
    returned: () => [content.text('look'), content.image(PNG)],
    told: [
      { type: 'text', text: 'look' },
      image,
      { type: 'text', text: expect.stringMatching(/^\[Image: source: /) },
    ],
  },
  structured: { returned: () => ({ answer: 42 }), output: true, told: '{"answer":42}' },
  structured_with_words: {
    returned: () => ({ content: [content.text('forty-two')], structuredContent: { answer: 42 } }),
    output: true,
    told: [
      { type: 'text', text: 'forty-two' },
      { type: 'text', text: '{"answer":42}' },
    ],
  },
  // Left to itself, the CLI would drop the image.
  structured_with_image: {
    returned: () => ({ content: [content.image(PNG)], structuredContent: { answer: 42 } }),
    output: true,
    told: [
      image,
      { type: 'text', text: expect.stringMatching(/^\[Image: source: /) },
      { type: 'text', text: '{"answer":42}' },
    ],
  },
};

const FAILURES: Record<string, { returned: () => unknown; words: RegExp; output?: boolean }> = {
  thrown: {
    returned: () => {
      throw new Error('Invalid ticket kind. Must be one of: bug, task');
    },
    words: /^Invalid ticket kind\. Must be one of: bug, task$/,
  },
  flagged: {
    returned: () => ({ content: [content.text('no such file')], isError: true }),
    words: /^no such file$/,
  },
  cycle: { returned: () => circular, words: /^The tool returned a value that cannot be written as JSON: / },
  symbol: {
    returned: () => Symbol('x'),
    words: /^The tool returned a symbol, which cannot be sent to the model\.$/,
  },
  never: { returned: () => new Promise(() => {}), words: /^Tool "never" timed out after 300 ms\.$/ },
  unstructured: {
    returned: () => ({ answer: 'forty-two' }),
    output: true,
    words: /^The tool's result does not match its output schema: answer: /,
  },
};

test('every kind of result reaches the model, and every failure as words it can act on', async () => {
  const outputSchema = { answer: z.number() };
  const tools = Object.entries({ ...KINDS, ...FAILURES }).map(([name, { returned, output }]) =>
    output
      ? tool(name, 'd', {}, returned as () => { answer: number }, { outputSchema })
      : tool(name, 'd', {}, returned as () => string, name === 'never' ? { timeout: 300 } : {}),
  );
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools }) },
    script: [
      toolUses(tools.map(({ name }) => ({ id: name, name: `mcp__test__${name}`, input: {} }))),
      text('Thanks.'),
    ],
  });
  succeeded(run);
  for (const [name, { told }] of Object.entries(KINDS)) {
    const { content: seen, is_error } = run.told.get(name) ?? {};
    expect(seen, name).toEqual(told);
    expect(is_error ?? false, name).toBe(false);
  }
  for (const [name, { words }] of Object.entries(FAILURES)) {
    expect(run.told.get(name), name).toMatchObject({ is_error: true, content: expect.stringMatching(words) });
  }
});

test('a result over the limit is cut, and the model reads on to its end with the CLI’s own tool (pain 41)', async () => {
  const whole = Array.from({ length: 9_000 }, (_, index) => `line ${index} ✓`).join('\n');
  const limit = 60_000;
  const long = tool('long', 'd', {}, () => whole, { maxResultChars: limit });
  const uriOf = (words: string) => /Read on with the resource (tenon-result:[^\s\]]+)\]/.exec(words)?.[1];
  const page = (words: string) => words.replace(/\n\n\[Cut here: [^\]]*\]$/, '');
  const pages: string[] = [];
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [long] }) },
    options: { allowedTools: ['ReadMcpResourceTool'] },
    script: (request, index) => {
      if (index === 0) return toolUse('mcp__test__long', {});
      const [result] = request.toolResults;
      const words = index === 1 ? wordsOf(result) : JSON.parse(wordsOf(result)).contents[0].text;
      pages.push(page(words));
      const uri = uriOf(words);
      return uri === undefined ? text('Read.') : toolUse('ReadMcpResourceTool', { server: 'test', uri });
    },
  });
  succeeded(run);
  // Above what the CLI lets pass of itself (50,000), because it was told of the limit.
  expect(pages[0]?.length).toBeGreaterThan(limit - 100);
  expect(pages[0]).toMatch(/\n$/);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.join('') === whole).toBe(true);
});

test('a string of 20 MB does no harm', async () => {
  const huge = tool('huge', 'd', {}, () => 'x'.repeat(20_000_000));
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [huge] }) },
    script: [toolUse('mcp__test__huge', {}, { id: 'huge' }), text('Too much.')],
  });
  succeeded(run);
  expect(JSON.stringify(blocksOf(run.told.get('huge')))).toMatch(/exceeds maximum allowed tokens/);
});

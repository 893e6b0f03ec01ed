/** Results over `maxResultChars` are cut with a mark, and a resource gives the rest (R43, pain 41). */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type CallToolResult,
  content,
  createSdkMcpServer,
  type ListedTool,
  OptionError,
  type ToolExtras,
  tool,
} from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';
import fc from '../../support/property.js';

interface Setting {
  tool?: number;
  server?: number;
  audience?: 'any' | 'claude-code';
  extras?: ToolExtras<never>;
}

async function longTool(returned: unknown, setting: Setting) {
  const extras = {
    ...setting.extras,
    ...(setting.tool === undefined ? {} : { maxResultChars: setting.tool }),
  };
  const long = tool('long', 'd', {}, () => returned as string, extras as ToolExtras);
  const server = createSdkMcpServer({ name: 's', tools: [long], maxResultChars: setting.server });
  const wire = new McpWire();
  await server.instance.connect(wire.transport, setting.audience);
  return { server, wire, call: () => wire.call('long', {}) as Promise<CallToolResult> };
}

const MARK = /\n\n\[Cut here: characters (\d+) to (\d+) of (\d+)\. Read on with the resource (\S+)\]$/;

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  if (block?.type !== 'text') throw new Error('no text');
  return block.text;
}

async function readOn(wire: McpWire, uri: string): Promise<string> {
  const { contents } = await wire.request<{ contents: { uri: string; text: string }[] }>('resources/read', {
    uri,
  });
  expect(contents).toMatchObject([{ uri, mimeType: 'text/plain' }]);
  return contents[0]?.text ?? '';
}

/** All pages, without their marks. */
async function allPages(wire: McpWire, first: string): Promise<string[]> {
  const pages: string[] = [];
  for (let page = first; ; ) {
    const [mark, , , , uri] = MARK.exec(page) ?? [];
    pages.push(page.slice(0, page.length - (mark?.length ?? 0)));
    if (uri === undefined) return pages;
    page = await readOn(wire, uri);
  }
}

describe('a long text', () => {
  test('is cut with a mark that says how much there is and where the rest is', async () => {
    const { wire, call } = await longTool('0123456789'.repeat(25), { tool: 100 });
    const text = textOf(await call());
    expect(text).toMatch(MARK);
    expect(text.slice(0, 100)).toBe('0123456789'.repeat(10));
    expect(text.slice(100)).toMatch(
      /^\n\n\[Cut here: characters 1 to 100 of 250\. Read on with the resource tenon-result:/,
    );
    const pages = await allPages(wire, text);
    expect(pages.map((page) => page.length)).toEqual([100, 100, 50]);
    expect(pages.join('')).toBe('0123456789'.repeat(25));
  });

  test('that just fits is left alone', async () => {
    const { call } = await longTool('x'.repeat(100), { tool: 100 });
    expect(await call()).toEqual({ content: [{ type: 'text', text: 'x'.repeat(100) }] });
  });

  test('property: the pages together are the text, no character is cut in two, no page is too long', async () => {
    const word = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('🙂', '👩‍👩‍👧', '\uD83D', 'é'));
    await fc.assert(
      fc.asyncProperty(fc.array(word), fc.integer({ min: 1, max: 20 }), async (words, max) => {
        const whole = words.join('');
        const { wire, call } = await longTool(whole, { tool: max });
        const pages = await allPages(wire, textOf(await call()));
        expect(pages.join('')).toBe(whole);
        for (const [index, page] of pages.entries()) {
          // A page of one character may be one of two units.
          expect(page.length).toBeLessThanOrEqual(Math.max(max, 2));
          const next = pages[index + 1] ?? '';
          expect(/[\uD800-\uDBFF]$/.test(page) && /^[\uDC00-\uDFFF]/.test(next)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('of several blocks is one text, and what is no text stays', async () => {
    const image = content.image(Buffer.from('\x89PNG', 'latin1'));
    const { wire, call } = await longTool([content.text('abc'), image, content.text('def')], { tool: 4 });
    const result = await call();
    expect(result.content).toEqual([{ type: 'text', text: expect.stringMatching(MARK) }, image]);
    expect((await allPages(wire, textOf(result))).join('')).toBe('abc\ndef');
  });

  test('of a failure is cut too, and is still a failure', async () => {
    const { call } = await longTool({ content: [content.text('x'.repeat(50))], isError: true }, { tool: 10 });
    expect(await call()).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(MARK) }] });
  });
});

describe('the limit', () => {
  test('of the tool wins over that of the server, and both are told to the CLI', async () => {
    const { wire, call } = await longTool('x'.repeat(50), { tool: 40, server: 10 });
    expect(textOf(await call())).toContain('characters 1 to 40 of 50');
    const { tools } = await wire.request<{ tools: ListedTool[] }>('tools/list');
    expect(tools[0]?._meta).toEqual({ 'anthropic/maxResultSizeChars': expect.any(Number) });
    const ofServer = await longTool('x'.repeat(50), { server: 10 });
    expect(textOf(await ofServer.call())).toContain('characters 1 to 10 of 50');
  });

  test('makes the server announce resources, so that a client knows it can read on', async () => {
    const capabilities = async (setting: Setting) =>
      (await (await longTool('', setting)).wire.request<{ capabilities: object }>('initialize', {}))
        .capabilities;
    expect(await capabilities({ tool: 10 })).toHaveProperty('resources');
    expect(await capabilities({ server: 10 })).toHaveProperty('resources');
    expect(await capabilities({})).not.toHaveProperty('resources');
  });

  test.each([0, -1, 1.5, Number.NaN, '100'])('of %j is refused', (bad) => {
    const maxResultChars = bad as number;
    expect(() => tool('t', 'd', {}, () => '', { maxResultChars })).toThrow(OptionError);
    expect(() => createSdkMcpServer({ name: 's', maxResultChars })).toThrow(
      `Server "s": \`maxResultChars\` must be a whole number above 0; it is ${bad}.`,
    );
  });
});

describe('structure', () => {
  const value = { text: 'x'.repeat(200) };
  const extras = { outputSchema: { text: z.string() } } as unknown as ToolExtras<never>;

  test('stays whole for clients that read it, beside a text that is cut', async () => {
    const { call } = await longTool(value, { tool: 50, extras });
    const result = await call();
    expect(result.structuredContent).toEqual(value);
    expect(textOf(result)).toMatch(MARK);
  });

  test('goes for the CLI, which would show it to the model in place of the text', async () => {
    const { wire, call } = await longTool(value, { tool: 50, extras, audience: 'claude-code' });
    const result = await call();
    expect(result).not.toHaveProperty('structuredContent');
    expect((await allPages(wire, textOf(result))).join('')).toBe(JSON.stringify(value));
  });

  test('without words of its own is cut as well', async () => {
    const whole = { content: [], structuredContent: value };
    const { call } = await longTool(whole, { tool: 50, audience: 'claude-code' });
    const result = await call();
    expect(result).not.toHaveProperty('structuredContent');
    expect(textOf(result)).toMatch(MARK);
  });
});

describe('what was cut', () => {
  test('can be read by its URI only, which nobody can guess', async () => {
    const { wire, call } = await longTool('x'.repeat(50), { tool: 10 });
    const uri = MARK.exec(textOf(await call()))?.[4] ?? '';
    expect(uri).toMatch(/^tenon-result:[0-9a-f-]{36}\?from=10$/);
    for (const wrong of ['tenon-result:1?from=0', uri.replace('?from=10', ''), `${uri}x`]) {
      expect(await wire.fault('resources/read', { uri: wrong })).toMatchObject({ code: -32002 });
    }
    expect(await readOn(wire, uri.replace('from=10', 'from=999'))).toBe('');
  });

  test('is kept for the last hundred results', async () => {
    const { wire, call } = await longTool('x'.repeat(50), { tool: 10 });
    const uris: string[] = [];
    for (let count = 0; count < 101; count += 1) uris.push(MARK.exec(textOf(await call()))?.[4] ?? '');
    expect(await wire.fault('resources/read', { uri: uris[0] })).toMatchObject({ code: -32002 });
    expect(await readOn(wire, uris[1] ?? '')).toContain('characters 11 to 20');
    expect(await readOn(wire, uris[100] ?? '')).toContain('characters 11 to 20');
  });

  test('is kept up to a hundred million characters, the newest always', async () => {
    const { wire, call } = await longTool('x'.repeat(60_000_000), { tool: 10 });
    const [first, second] = [textOf(await call()), textOf(await call())].map(
      (text) => MARK.exec(text)?.[4] ?? '',
    );
    expect(await wire.fault('resources/read', { uri: first })).toMatchObject({ code: -32002 });
    expect(await readOn(wire, second ?? '')).toContain('characters 11 to 20');
  });
});

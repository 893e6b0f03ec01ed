/** A result of any size, from any tool, is cut to what the model can read, and the model can read on (R43, pain 41). */
import { describe, expect, it } from 'vitest';
import { content, createSdkMcpServer, OptionError, tool } from '../../src/index.js';
import { embedded, type RuntimeTool } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import fc from '../support/property.js';
import { call, type Loose, run, server, toolResults } from './support.js';

const CUT =
  /\n\n\[Cut here: characters (\d+) to (\d+) of (\d+)\. Read on with ReadToolResult (\{.*?\}), or call/;
const allowed = { allowedTools: ['mcp__s'] };
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

const own = (answer: () => unknown, more: Partial<RuntimeTool> = {}): RuntimeTool => ({
  name: 'Own',
  description: 'd',
  inputSchema: { type: 'object' },
  needsNoPermission: true,
  run: async () => answer() as never,
  ...more,
});
const useOwn = { toolUses: [{ name: 'Own', input: {} }] };

/** What the model read of the first call, and what it did to read all of it. */
async function readAll(whole: string, maxResultChars: number) {
  const pages: string[] = [];
  const { result, model } = await run(
    (request, index) => {
      if (index === 0) return { toolUses: [call('long')] };
      const last = toolResults(request).at(-1)?.text ?? '';
      const [notice, , , , input] = CUT.exec(last) ?? [];
      pages.push(notice === undefined ? last : last.slice(0, last.indexOf(notice)));
      return input === undefined
        ? 'Done.'
        : { toolUses: [{ name: 'ReadToolResult', input: JSON.parse(input) }] };
    },
    { ...allowed, mcpServers: { s: server({ long: () => whole }) } },
    { maxResultChars },
  );
  return { pages, result, model };
}

describe('a long result', () => {
  it('is cut at the end of a line, and read on to its end', async () => {
    const whole = lines(1000);
    const { pages, result, model } = await readAll(whole, 2000);
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.join('') === whole).toBe(true);
    for (const page of pages.slice(0, -1)) expect(page).toMatch(/\n$/);
    // Every tool costs tokens: this one is there when there is something to read.
    expect(model.requests.map(({ toolNames }) => toolNames.includes('ReadToolResult'))).toEqual([
      false,
      ...pages.map(() => true),
    ]);
  });

  it('property: the pages together are the text, and no character is cut in two', async () => {
    const word = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('🙂', '👩‍👩‍👧', ' ', '\n'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        async (words, max) => {
          const whole = `x${words.join('')}`;
          const { pages } = await readAll(whole, max);
          expect(pages.join('')).toBe(whole);
          for (const [index, page] of pages.entries()) {
            expect(page.length).toBeLessThanOrEqual(Math.max(max, 2));
            const next = pages[index + 1] ?? '';
            expect(/[\uD800-\uDBFF]$/.test(page) && /^[\uDC00-\uDFFF]/.test(next)).toBe(false);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('without any setting is cut at 100,000 characters, and the host still gets all of it', async () => {
    const whole = 'x'.repeat(1_000_000);
    const { model, messages, result } = await run([{ toolUses: [call('long')] }, 'Done.'], {
      ...allowed,
      mcpServers: { s: server({ long: () => whole }) },
    });
    expect(result).toMatchObject({ subtype: 'success' });
    const [told] = toolResults(model.requests[1]);
    expect(told?.text.replace(CUT, '').length).toBeLessThan(100_100);
    expect(told?.text).toMatch(CUT);
    const line = messages.find((message) => message.type === 'user') as Loose;
    expect(JSON.stringify(line.message).length).toBeLessThan(101_000);
    expect(line.tool_use_result).toEqual([{ type: 'text', text: whole }]);
  });

  it.each<[string, Partial<RuntimeTool>, () => unknown]>([
    ['one of the agent’s own tools', {}, () => ({ content: lines(500) })],
    ['several texts', {}, () => ({ content: [1, 2, 3].map(() => ({ type: 'text', text: lines(200) })) })],
    ['an error', {}, () => ({ content: lines(500), isError: true })],
    [
      'something thrown',
      {},
      () => {
        throw new Error(lines(500));
      },
    ],
  ])('of %s is cut', async (_, more, answer) => {
    const { model } = await run([useOwn, 'Done.'], {}, { tools: [own(answer, more)], maxResultChars: 1000 });
    const [told] = toolResults(model.requests[1]);
    expect(told?.text).toMatch(CUT);
    expect(told?.text.length).toBeLessThan(1300);
  });

  it('that a hook puts in place of a short one is cut too', async () => {
    const { model } = await run(
      [{ toolUses: [call('short')] }, 'Done.'],
      {
        ...allowed,
        mcpServers: { s: server({ short: () => 'ok' }) },
        hooks: {
          PostToolUse: [
            {
              hooks: [
                async () => ({
                  hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: lines(500) },
                }),
              ],
            },
          ],
        },
      },
      { maxResultChars: 1000 },
    );
    expect(toolResults(model.requests[1])[0]?.text).toMatch(CUT);
  });

  it('of a tool with its own limit keeps to that', async () => {
    const { model } = await run(
      [useOwn, 'Done.'],
      {},
      {
        tools: [own(() => ({ content: lines(500) }), { maxResultChars: 3000 })],
        maxResultChars: 1000,
      },
    );
    const text = toolResults(model.requests[1])[0]?.text ?? '';
    expect(text.length).toBeGreaterThan(2000);
    expect(text.length).toBeLessThan(3300);
  });

  it('of an in-process tool with its own limit is the server’s to cut', async () => {
    const long = tool('long', 'd', {}, () => lines(500), { maxResultChars: 3000 });
    const { model } = await run(
      [{ toolUses: [call('long')] }, 'Done.'],
      { ...allowed, mcpServers: { s: createSdkMcpServer({ name: 's', tools: [long] }) } },
      { maxResultChars: 1000 },
    );
    const text = toolResults(model.requests[1])[0]?.text ?? '';
    expect(text).toContain('Read on with the resource tenon-result:');
    expect(text).not.toContain('ReadToolResult');
    expect(text.length).toBeGreaterThan(2000);
  });

  it('is cut without a way to read on where the rules forbid the tool', async () => {
    const { model } = await run(
      [useOwn, 'Done.'],
      { disallowedTools: ['ReadToolResult'] },
      { tools: [own(() => ({ content: lines(500) }))], maxResultChars: 1000 },
    );
    const text = toolResults(model.requests[1])[0]?.text ?? '';
    expect(text).toMatch(/\[Cut here: .* Call the tool again and ask for less\.\]$/);
    expect(model.requests[1]?.toolNames).not.toContain('ReadToolResult');
  });
});

describe('reading on', () => {
  it.each([
    [{ id: 'nothing', from: 0 }, /There is no result "nothing" any more/],
    [{ from: 0 }, /There is no result "undefined" any more/],
  ])('with %j says what is wrong', async (input, words) => {
    const { model } = await run(
      [useOwn, { toolUses: [{ name: 'ReadToolResult', input }] }, 'Done.'],
      {},
      { tools: [own(() => ({ content: lines(500) }))], maxResultChars: 1000 },
    );
    expect(toolResults(model.requests[2]).at(-1)).toMatchObject({
      isError: true,
      text: expect.stringMatching(words),
    });
  });

  it.each([-1, 1.5, 'x', 1_000_000])('from %j says where it may begin', async (from) => {
    const { model } = await run(
      (request, index) => {
        if (index === 0) return useOwn;
        if (index === 2) return 'Done.';
        const [, , , , input = '{}'] = CUT.exec(toolResults(request)[0]?.text ?? '') ?? [];
        return { toolUses: [{ name: 'ReadToolResult', input: { ...JSON.parse(input), from } }] };
      },
      {},
      { tools: [own(() => ({ content: lines(500) }))], maxResultChars: 1000 },
    );
    expect(toolResults(model.requests[2]).at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('`from` must be a number from 0 to '),
    });
  });

  it('in what is no longer kept says to call the tool again', async () => {
    let first = '';
    const { model } = await run(
      (request, index) => {
        const [, , , , input = ''] = CUT.exec(toolResults(request)[0]?.text ?? '') ?? [];
        if (index === 1) first = input;
        if (index < 60) return useOwn;
        return index === 60 ? { toolUses: [{ name: 'ReadToolResult', input: JSON.parse(first) }] } : 'Done.';
      },
      {},
      { tools: [own(() => ({ content: lines(50) }))], maxResultChars: 100 },
    );
    expect(toolResults(model.requests[61]).at(-1)?.text).toContain('Call the tool again, and ask for less');
  });
});

describe('images', () => {
  const image = (size: number) => content.image('A'.repeat(size), 'image/png');
  const told = async (blocks: unknown[]) => {
    const { model, result } = await run([{ toolUses: [call('see')] }, 'Done.'], {
      ...allowed,
      mcpServers: { s: server({ see: () => ({ content: blocks }) }) },
    });
    expect(result).toMatchObject({ subtype: 'success' });
    const last = model.requests[1]?.messages.at(-1)?.content as unknown as {
      content: { type: string; text?: string }[];
    }[];
    return last[0]?.content ?? [];
  };

  it('that are too large are replaced by a notice, and the others stay', async () => {
    const seen = await told([image(100), image(6 * 1024 * 1024), content.text('both')]);
    expect(seen).toMatchObject([
      { type: 'image' },
      { type: 'text', text: expect.stringMatching(/^\[One image was left out: it has 6291456 base64/) },
      { type: 'text', text: 'both' },
    ]);
  });

  it('that are too many, or too large together, are replaced by notices', async () => {
    const many = await told(Array.from({ length: 25 }, () => image(100)));
    expect(many.filter(({ type }) => type === 'image')).toHaveLength(20);
    expect(many.at(-1)?.text).toContain('a result may have 20');
    const heavy = await told(Array.from({ length: 4 }, () => image(4 * 1024 * 1024)));
    expect(heavy.filter(({ type }) => type === 'image')).toHaveLength(2);
  });
});

it.each([0, -1, 1.5, Number.NaN, '100'])('the limit %j is refused', (bad) => {
  expect(() => embedded({ model: scriptedModel([]), maxResultChars: bad as number })).toThrow(OptionError);
});

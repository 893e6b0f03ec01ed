/** `tenon tools`: what a file has to offer, for people and scripts (R58). */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { boundsText, typeText } from '../../src/commands/tools/schema.js';
import { tenon } from './support/tenon.js';
import { describeInTerminal, Terminal } from './support/terminal.js';

const shop = fileURLToPath(new URL('./support/shop.mjs', import.meta.url));
const ESCAPE = '\u001b';

describe('tenon tools', () => {
  it('lists servers, tools and arguments, one line for each in a pipe, without colour', async () => {
    const { code, stdout, stderr } = await tenon(['tools', shop]);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual(['shop (7 tools)', '  Everything about the shop.']);
    expect(lines).toContain(
      '    product       string               The name of the product, as it is on the label of the shelf',
    );
    expect(lines).toContain('    count?        integer              How many; 1 to 10, default 1');
    expect(lines).toContain('    colours?      ("red" | "green")[]');
    expect(lines).toContain('    address.city  string');
    expect(stdout).toMatch(/^spare \(1 tool\)\n\n {2}nothing\n {4}Says nothing, too\n {4}no arguments$/m);
    expect(stdout).not.toContain(ESCAPE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('has the whole schemas with --json', async () => {
    const { stdout } = await tenon(['tools', shop, '--json']);
    const { servers } = JSON.parse(stdout);
    expect(servers.map(({ name }: { name: string }) => name)).toEqual(['shop', 'spare']);
    expect(servers[0]).toMatchObject({ instructions: 'Everything about the shop.' });
    expect(servers[0].tools[0]).toMatchObject({
      name: 'order',
      inputSchema: {
        type: 'object',
        properties: { count: { minimum: 1, maximum: 10 } },
        required: ['product'],
      },
    });
  });

  it.each([
    [['tools'], /a tools file is required: tenon tools/],
    [['tools', './absent.js'], /file "\.\/absent\.js": there is no such file/],
    [['tools', shop, 'x'], /"x" is one argument too many/],
  ])('%j exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await tenon(args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('the type of an argument', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ const: 'x' }, '"x"'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, '(string | number)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ properties: {} }, 'object'],
    [{}, 'any'],
    [{ $ref: '#' }, 'any'],
  ])('%j is %s', (schema, text) => {
    expect(typeText(schema, schema)).toBe(text);
  });

  it.each([
    [{ minimum: 1 }, 'at least 1'],
    [{ maximum: Number.MAX_SAFE_INTEGER }, ''],
    [{ maxLength: 5, format: 'email', default: 'x' }, 'at most 5 characters, email, default "x"'],
  ])('with the bounds of %j is described as "%s"', (schema, text) => {
    expect(boundsText(schema)).toBe(text);
  });
});

describeInTerminal('tenon tools in a terminal', () => {
  const env = { PATH: process.env.PATH ?? '' };

  it.each([40, 200])('wraps at words in a window of %i columns, and has colour', async (columns) => {
    using terminal = new Terminal(['tools', shop], { env, columns });
    expect(await terminal.exited).toBe(0);
    const lines = await terminal.lines();
    const text = lines.join('\n');
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'The warehouse is asked first, which can take a while at night, and never more than once.',
    );
    expect(words).toContain('The name of the product, as it is on the label of the shelf');
    // Every line keeps the indentation of its kind, so no word was broken by the terminal.
    expect(lines.filter((line) => line !== '' && !/^( {2,}\S|(shop|spare) \()/.test(line))).toEqual([]);
    if (columns === 40)
      expect(text).toContain('\n    product string\n      The name of the product, as it is');
    else
      expect(text).toMatch(
        /\n {4}product {7}string {15}The name of the product, as it is on the label of the shelf\n/,
      );
    expect(terminal.raw).toContain(`${ESCAPE}[32morder${ESCAPE}[39m`);
  });
});

/** What a handler returns becomes a result, whatever it is. */
import { expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { McpWire } from '../support/mcp-wire.js';

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const whole = { content: [{ type: 'text', text: 'x' }], isError: true, _meta: { a: 1 } };

it.each<[string, unknown, unknown]>([
  ['a string', 'hello', text('hello')],
  ['an empty string', '', text('')],
  ['a number', 42, text('42')],
  ['zero', 0, text('0')],
  ['a boolean', false, text('false')],
  ['null', null, text('null')],
  ['a BigInt', 12n, text('12')],
  ['an object', { a: [1, { b: null }] }, text('{"a":[1,{"b":null}]}')],
  ['an array', [1, 2], text('[1,2]')],
  ['an empty array', [], text('[]')],
  ['a date', new Date(0), text('"1970-01-01T00:00:00.000Z"')],
  ['nothing', undefined, { content: [] }],
  ['a whole result', whole, whole],
  ['an object with a content that is no list', { content: 'x' }, text('{"content":"x"}')],
  ['a promise of any of these', Promise.resolve('later'), text('later')],
])('%s', async (_, returned, expected) => {
  const definition = tool('t', 'd', {}, () => returned as string);
  const wire = await McpWire.to(createSdkMcpServer({ name: 's', tools: [definition] }).instance);
  expect(await wire.call('t', {})).toEqual(expected);
});

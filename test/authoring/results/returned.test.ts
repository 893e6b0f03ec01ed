/** What you return → what the client of the tool is sent (R4). The words of the failures are what the model sees. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { content } from '../../../src/index.js';
import { failure, type Handler, resultOf, served, text } from './handler.js';

const unhandled = vi.fn();
beforeAll(() => void process.on('unhandledRejection', unhandled));
afterAll(() => {
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

const bytes = (...start: (string | number)[]): Buffer =>
  Buffer.concat(
    start.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))),
  );
const base64 = (buffer: Buffer): string => buffer.toString('base64');

const PNG = bytes(0x89, 'PNG\r\n', 0x1a, '\n');
const JPEG = bytes(0xff, 0xd8, 0xff, 0xe0, '....JFIF');
const GIF = bytes('GIF89a.......');
const WEBP = bytes('RIFF....WEBPVP8 ');
const WAV = bytes('RIFF....WAVEfmt ');
const MP3 = bytes('ID3......');
const PDF = bytes('%PDF-1.7 .....');
const UNKNOWN = bytes(1, 2, 3);

class Account {
  readonly id = 7;
  readonly #secret = 'x';
  toJSON(): object {
    return { account: this.id, length: this.#secret.length };
  }
}

const circular: Record<string, unknown> = { name: 'a' };
circular.self = circular;

describe('values become text', () => {
  test.each<[string, unknown, unknown]>([
    ['a string', 'hello', text('hello')],
    ['a string that is JSON stays as it is', '{"a":1}', text('{"a":1}')],
    ['a number', 42.5, text('42.5')],
    ['NaN, for which JSON has no word', Number.NaN, text('NaN')],
    ['Infinity', Number.POSITIVE_INFINITY, text('Infinity')],
    ['true', true, text('true')],
    ['null', null, text('null')],
    ['undefined', undefined, { content: [] }],
    ['a BigInt', 2n ** 64n, text('18446744073709551616')],
    ['an object', { a: [1, 'zwei ✓'] }, text('{"a":[1,"zwei ✓"]}')],
    ['an object with a BigInt deep inside', { a: [{ n: 5n }] }, text('{"a":[{"n":"5"}]}')],
    ['an array', [1, null, 'x'], text('[1,null,"x"]')],
    ['a Map with names', new Map([['a', 1]]), text('{"a":1}')],
    ['a Map with other keys', new Map([[1, 'x']]), text('[[1,"x"]]')],
    ['a Set, also inside', { tags: new Set(['a', 'b']) }, text('{"tags":["a","b"]}')],
    ['a date', new Date(0), text('"1970-01-01T00:00:00.000Z"')],
    ['an instance that says its JSON', new Account(), text('{"account":7,"length":1}')],
    ['an object whose `content` is no list', { content: 'x' }, text('{"content":"x"}')],
    ['objects that only look like blocks', [{ type: 'text', text: 5 }], text('[{"type":"text","text":5}]')],
    ['an object of a kind of its own', { type: 'constructor' }, text('{"type":"constructor"}')],
    [
      'a list of which one is no block',
      [{ type: 'text', text: 'a' }, { type: 'note' }],
      text('[{"type":"text","text":"a"},{"type":"note"}]'),
    ],
  ])('%s', async (_, returned, expected) => {
    expect(await resultOf(() => returned)).toEqual(expected);
    expect(await resultOf(async () => returned)).toEqual(expected);
  });

  test('a string of 100 MB, whole', async () => {
    const long = 'x'.repeat(100_000_000);
    const { wire } = await served(() => long);
    const { content: blocks } = await wire.call('give', {});
    // The same string, not a copy: nothing on the way may grow with its length.
    expect(blocks[0]?.text === long).toBe(true);
  });
});

describe('bytes become what they are', () => {
  test.each<[string, unknown, unknown]>([
    ['PNG', PNG, { type: 'image', data: base64(PNG), mimeType: 'image/png' }],
    ['JPEG', JPEG, { type: 'image', data: base64(JPEG), mimeType: 'image/jpeg' }],
    ['GIF', GIF, { type: 'image', data: base64(GIF), mimeType: 'image/gif' }],
    ['WebP', WEBP, { type: 'image', data: base64(WEBP), mimeType: 'image/webp' }],
    ['WAV', WAV, { type: 'audio', data: base64(WAV), mimeType: 'audio/wav' }],
    ['MP3', MP3, { type: 'audio', data: base64(MP3), mimeType: 'audio/mpeg' }],
    [
      'a document',
      PDF,
      {
        type: 'resource',
        resource: { uri: 'tenon-result:bytes', mimeType: 'application/pdf', blob: base64(PDF) },
      },
    ],
    [
      'unknown bytes',
      UNKNOWN,
      {
        type: 'resource',
        resource: { uri: 'tenon-result:bytes', mimeType: 'application/octet-stream', blob: base64(UNKNOWN) },
      },
    ],
    ['a Uint8Array', new Uint8Array(PNG), { type: 'image', data: base64(PNG), mimeType: 'image/png' }],
    [
      'a view of a larger buffer',
      Buffer.concat([UNKNOWN, PNG]).subarray(UNKNOWN.length),
      { type: 'image', data: base64(PNG), mimeType: 'image/png' },
    ],
    [
      'an ArrayBuffer',
      new Uint8Array(PNG).buffer,
      { type: 'image', data: base64(PNG), mimeType: 'image/png' },
    ],
  ])('%s', async (_, returned, block) => {
    expect(await resultOf(() => returned)).toEqual({ content: [block] });
  });
});

describe('parts of a result', () => {
  test.each<[string, unknown, unknown[]]>([
    ['text', content.text('hello'), [{ type: 'text', text: 'hello' }]],
    [
      'an image of bytes',
      content.image(JPEG),
      [{ type: 'image', data: base64(JPEG), mimeType: 'image/jpeg' }],
    ],
    [
      'an image of base64',
      content.image(base64(WEBP)),
      [{ type: 'image', data: base64(WEBP), mimeType: 'image/webp' }],
    ],
    [
      'an image whose type is given',
      content.image(UNKNOWN, 'image/avif'),
      [{ type: 'image', data: base64(UNKNOWN), mimeType: 'image/avif' }],
    ],
    ['audio', content.audio(WAV), [{ type: 'audio', data: base64(WAV), mimeType: 'audio/wav' }]],
    [
      'a link to a resource',
      content.resourceLink({ uri: 'memo://1', name: 'memo', description: 'The first' }),
      [{ type: 'resource_link', uri: 'memo://1', name: 'memo', description: 'The first' }],
    ],
    [
      'a resource of text',
      content.resource('memo://1', 'buy milk', 'text/plain'),
      [{ type: 'resource', resource: { uri: 'memo://1', mimeType: 'text/plain', text: 'buy milk' } }],
    ],
    [
      'a resource of bytes',
      content.resource('memo://1', UNKNOWN),
      [{ type: 'resource', resource: { uri: 'memo://1', blob: base64(UNKNOWN) } }],
    ],
    [
      'a list of parts',
      [content.text('look'), content.image(PNG)],
      [
        { type: 'text', text: 'look' },
        { type: 'image', data: base64(PNG), mimeType: 'image/png' },
      ],
    ],
    [
      'blocks with bytes in them, by hand',
      [
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'memo://1', blob: UNKNOWN } },
      ],
      [
        { type: 'image', data: base64(PNG), mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'memo://1', blob: base64(UNKNOWN) } },
      ],
    ],
  ])('%s', async (_, returned, blocks) => {
    expect(await resultOf(() => returned)).toEqual({ content: blocks });
    expect(await resultOf(() => ({ content: Array.isArray(returned) ? returned : [returned] }))).toEqual({
      content: blocks,
    });
  });
});

describe('a whole CallToolResult', () => {
  test('goes out as it is, with what it carries', async () => {
    const whole = {
      content: [{ type: 'text', text: 'x', annotations: { priority: 1 }, _meta: { a: 1 } }],
      isError: true,
      _meta: { mine: { deep: true } },
      own: 'field',
    };
    expect(await resultOf(() => whole)).toEqual(whole);
    expect(await resultOf(() => ({ content: [] }))).toEqual({ content: [] });
  });

  test('with only structure says it in words too', async () => {
    expect(await resultOf(() => ({ content: [], structuredContent: { answer: 42 } }))).toEqual({
      content: [{ type: 'text', text: '{"answer":42}' }],
      structuredContent: { answer: 42 },
    });
  });

  test('with a BigInt, a Map or a date anywhere can still be sent', async () => {
    const whole = {
      content: [{ type: 'text', text: 'x', _meta: { n: 1n } }],
      structuredContent: { n: 5n, at: new Date(0), map: new Map([['a', 1]]) },
      _meta: { n: 7n },
    };
    expect(await resultOf(() => whole)).toEqual({
      content: [{ type: 'text', text: 'x', _meta: { n: '1' } }],
      structuredContent: { n: '5', at: '1970-01-01T00:00:00.000Z', map: { a: 1 } },
      _meta: { n: '7' },
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['no block', { type: 'note' }, /content\[1\] is not a content block: \{"type":"note"\}$/],
    ['a text that is none', { type: 'text', text: 5 }, /content\[1\] is not a content block/],
    ['a text without text', { type: 'text' }, /content\[1\] is not a content block/],
    ['an image without its type', { type: 'image', data: '' }, /content\[1\] is not a content block/],
    ['a link without a name', { type: 'resource_link', uri: 'x' }, /content\[1\] is not a content block/],
    [
      'a resource of nothing',
      { type: 'resource', resource: { uri: 'x' } },
      /content\[1\] is not a content block/,
    ],
    [
      'a resource that is a word',
      { type: 'resource', resource: 'cpu' },
      /content\[1\] is not a content block/,
    ],
    ['null', null, /content\[1\] is not a content block: null$/],
    ['a name that every object has', { type: 'toString' }, /content\[1\] is not a content block/],
  ])('with a bad block says which: %s', async (_, block, message) => {
    const result = await resultOf(() => ({ content: [{ type: 'text', text: 'fine' }, block] }));
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(message) }] });
    expect(result.content).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['structure', { content: [], structuredContent: circular }],
    ['metadata', { content: [], _meta: circular }],
    ["a block's metadata", { content: [{ type: 'text', text: 'x', _meta: circular }] }],
  ])('with a cycle in its %s is a failure', async (_, whole) => {
    expect(await resultOf(() => whole)).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(
            /^The tool returned a value that cannot be written as JSON: .*circular/,
          ),
        },
      ],
    });
  });
});

describe('what has no JSON is a failure that says so', () => {
  test.each<[string, unknown, string | RegExp]>([
    [
      'a cycle',
      circular,
      /^The tool returned a value that cannot be written as JSON: Converting circular structure/,
    ],
    ['a symbol', Symbol('x'), 'The tool returned a symbol, which cannot be sent to the model.'],
    ['a function', () => 1, 'The tool returned a function, which cannot be sent to the model.'],
    [
      'an instance whose toJSON throws',
      {
        toJSON() {
          throw new Error('no words');
        },
      },
      'The tool returned a value that cannot be written as JSON: no words',
    ],
    [
      'an instance whose toJSON says nothing',
      { toJSON: () => undefined },
      'The tool returned an object, which cannot be sent to the model.',
    ],
    [
      'an object with a trap in it',
      {
        get type() {
          throw new Error('trapped');
        },
      },
      'trapped',
    ],
    ['an error that was returned, not thrown', new Error('it failed'), 'it failed'],
  ])('%s', async (_, returned, words) => {
    const result = await resultOf(() => returned);
    expect(result).toEqual(failure(expect.stringMatching(words) as unknown as string));
  });
});

describe('what is thrown is a failure with its words (R6)', () => {
  const throwing = (thrown: unknown): [string, Handler][] => [
    [
      'at once',
      () => {
        throw thrown;
      },
    ],
    ['later', () => Promise.reject(thrown)],
  ];

  test.each<[string, unknown, string]>([
    ['an error', new Error('The database is away'), 'The database is away'],
    ['an error without words', new RangeError(), 'RangeError'],
    ['a string', 'just words', 'just words'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object', { reason: 'odd' }, '{"reason":"odd"}'],
    ['a cycle', circular, '[object Object]'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['a BigInt', 5n, '[object BigInt]'],
  ])('%s', async (_, thrown, words) => {
    for (const [when, handler] of throwing(thrown))
      expect(await resultOf(handler), when).toEqual(failure(words));
  });

  test('a handler that warns is heard as a warning, and its result stands', async () => {
    const warning = vi.fn();
    process.on('warning', warning);
    const result = await resultOf(() => {
      process.emitWarning('careful', { code: 'MINE' });
      return 'done';
    });
    await vi.waitUntil(() => warning.mock.calls.length > 0);
    process.off('warning', warning);
    expect(result).toEqual(text('done'));
    expect(warning.mock.calls[0]?.[0]).toMatchObject({ message: 'careful', code: 'MINE' });
  });
});

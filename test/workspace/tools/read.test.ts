import { describe, expect, it } from 'vitest';
import { memoryWorkspace } from '../../../src/workspace/adapters/memory.js';
import { toolsOn } from './support.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const bytes = (...parts: (number[] | string)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))));

function read(content: string | Uint8Array, input: Record<string, unknown> = {}, name = 'a.txt') {
  return toolsOn(memoryWorkspace({ [name]: content })).call('Read', { file_path: name, ...input });
}

describe('R49: Read of a text', () => {
  it('numbers the lines; a final line end counts as one more', async () => {
    expect(await read('one\ntwo\n')).toMatchObject({
      content: '1\tone\n2\ttwo\n3\t',
      detail: {
        type: 'text',
        file: { filePath: 'a.txt', content: 'one\ntwo\n', numLines: 3, startLine: 1, totalLines: 3 },
      },
    });
  });

  it('reads a part, also if the numbers are texts', async () => {
    const file = { content: 'two', numLines: 1, startLine: 2, totalLines: 4 };
    expect(await read('one\ntwo\nthree\n', { offset: 2, limit: 1 })).toMatchObject({ detail: { file } });
    expect(await read('one\ntwo\nthree\n', { offset: '2', limit: '1' })).toMatchObject({ detail: { file } });
  });

  it('shows neither carriage returns nor a byte-order mark, in UTF-8 and UTF-16', async () => {
    const utf16 = new Uint8Array(Buffer.from('\uFEFFa\r\nb', 'utf16le'));
    for (const content of ['\uFEFFa\r\nb', utf16]) {
      expect((await read(content)).content).toBe('1\ta\n2\tb');
    }
  });

  it('says that a file is empty, or how many lines there are, without an error', async () => {
    const empty = await read('');
    expect(empty.content).toContain('empty');
    expect(empty.detail).toMatchObject({ file: { numLines: 1, totalLines: 1 } });
    const past = await read('a\nb', { offset: 9 });
    expect(past.content).toContain('only 2 lines');
    expect(past.detail).toMatchObject({ file: { content: '', numLines: 0, startLine: 9, totalLines: 2 } });
    expect([empty.isError, past.isError]).toEqual([undefined, undefined]);
  });

  it('says so if bytes could not be shown', async () => {
    expect((await read(new Uint8Array([0x61, 0xff, 0x0a]))).content).toMatch(/^1\ta\uFFFD\n2\t\n\n\[.*UTF-8/);
    expect((await read('a\0b')).content).toMatch(/NUL/);
  });

  it('refuses a whole file over 256 KB, and names what helps', async () => {
    const outcome = await read('x\n'.repeat(140_000));
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(/274 KB.*offset.*limit.*allow_large/);
    expect((await read('x\n'.repeat(140_000), { offset: 2, limit: 2 })).content).toBe('2\tx\n3\tx');
    expect((await read('x\n'.repeat(140_000), { allow_large: true })).isError).toBeUndefined();
  });

  it('gives the first page of a file over 25,000 tokens, and tells the model where to go on', async () => {
    const outcome = await read(`${'y'.repeat(99)}\n`.repeat(2_000));
    expect(outcome.detail).toMatchObject({
      file: { numLines: 850, startLine: 1, totalLines: 2001, truncatedByTokenCap: true },
    });
    expect(outcome.added).toEqual([{ text: expect.stringContaining('`offset` 851'), isShown: false }]);
  });

  it('gives the beginning of a line that is too long by itself', async () => {
    const outcome = await read('🌍'.repeat(60_000));
    const { content } = (outcome.detail as { file: { content: string } }).file;
    expect(content.length).toBeGreaterThan(10_000);
    expect(content.replaceAll('🌍', '')).toBe('');
  });

  it('refuses a part over 25,000 tokens, unless it is allowed', async () => {
    const text = `${'y'.repeat(99)}\n`.repeat(2_000);
    expect((await read(text, { limit: 1_500 })).content).toMatch(/about 3\d{4} tokens.*allow_large/);
    expect((await read(text, { limit: 1_500, allow_large: true })).isError).toBeUndefined();
    expect((await read('y'.repeat(1_100_000), { allow_large: true })).content).toMatch(/at most 250000/);
  });

  it('is followed by what is known about the place of the file', async () => {
    const workspace = memoryWorkspace({ 'sub/a.txt': 'a' });
    const onRead = async (real: string) => [{ text: `near ${real}`, isShown: false }];
    expect((await toolsOn(workspace, { onRead }).call('Read', { file_path: 'sub/a.txt' })).added).toEqual([
      { text: 'near /workspace/sub/a.txt', isShown: false },
    ]);
  });
});

describe('R49: Read of what cannot be read', () => {
  it('says what is wrong: nothing there, a directory', async () => {
    const { call } = toolsOn(memoryWorkspace({ 'sub/a.txt': 'a' }));
    const missing = await call('Read', { file_path: 'no.txt' });
    expect(missing).toMatchObject({ isError: true, content: expect.stringContaining('/workspace') });
    expect(missing.refused).toBeUndefined();
    expect((await call('Read', { file_path: 'sub' })).content).toContain('is a directory');
  });

  it.each([
    [{}, /`file_path` is missing/],
    [{ file_path: 'a.txt', offset: 1.5 }, /`offset` must be of type integer, it is 1\.5/],
    [{ file_path: 'a.txt', bogus: 1 }, /no parameter `bogus`/],
    [{ file_path: 'a.zip' }, /\.zip file is binary/],
    [{ file_path: '/dev/zero' }, /device/],
    [{ file_path: '/proc/self/environ' }, /device/],
    [{ file_path: 'a.pdf', pages: 'all' }, /`pages` must be one page/],
  ])('refuses %j before anybody is asked', async (input, words) => {
    const { call } = toolsOn(memoryWorkspace({ 'a.txt': 'a' }));
    expect((await call('Read', input)).refused).toMatch(words);
  });
});

describe('R49: Read of an image', () => {
  const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 44, 3]);
  const gif = bytes('GIF89a', [44, 1, 200, 0]);
  const lossy = bytes('RIFF____WEBPVP8 ', new Array(10).fill(0), [44, 1, 200, 0]);
  const lossless = bytes('RIFF____WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x2b, 0xc1, 0x31, 0]);
  const extended = bytes('RIFF____WEBPVP8X', new Array(8).fill(0), [43, 1, 0, 199, 0, 0]);

  it.each([
    ['png', new Uint8Array(Buffer.from(PIXEL, 'base64')), 'image/png', 1, 1],
    ['jpg', jpeg, 'image/jpeg', 300, 200],
    ['gif', gif, 'image/gif', 300, 200],
    ['webp', lossy, 'image/webp', 300, 200],
    ['webp', lossless, 'image/webp', 300, 200],
    ['webp', extended, 'image/webp', 300, 200],
  ])(
    '%s: shows it to the model, and tells the host its size',
    async (extension, content, type, width, height) => {
      const base64 = Buffer.from(content).toString('base64');
      expect(await read(content, {}, `a.${extension}`)).toMatchObject({
        content: [{ type: 'image', source: { type: 'base64', data: base64, media_type: type } }],
        detail: {
          type: 'image',
          file: {
            base64,
            type,
            originalSize: content.length,
            dimensions: {
              originalWidth: width,
              originalHeight: height,
              displayWidth: width,
              displayHeight: height,
            },
          },
        },
      });
    },
  );

  it('that is empty, none, damaged, or too large is an error or has no size', async () => {
    expect((await read('', {}, 'a.png')).content).toMatch(/is empty/);
    expect((await read('hello', {}, 'a.png')).content).toMatch(/is none/);
    expect((await read(new Uint8Array(4_000_000), {}, 'a.png')).content).toMatch(/more than a model takes/);
    const huge = bytes('GIF89a', [0xff, 0xff, 200, 0]);
    expect((await read(huge, {}, 'a.gif')).content).toMatch(/65535 × 200 pixels/);
    const cut = await read(bytes([0xff, 0xd8, 0xff]), {}, 'a.jpg');
    expect(cut.detail).toEqual({
      type: 'image',
      file: { base64: '/9j/', type: 'image/jpeg', originalSize: 3 },
    });
  });
});

describe('R49: Read of a PDF', () => {
  it('gives the model the document', async () => {
    const data = Buffer.from('%PDF-1.4\n').toString('base64');
    expect(await read('%PDF-1.4\n', {}, 'a.pdf')).toMatchObject({
      content: [{ type: 'text' }, { type: 'document', source: { media_type: 'application/pdf', data } }],
      detail: { type: 'pdf', file: { filePath: '/workspace/a.pdf', base64: data, originalSize: 9 } },
    });
  });

  it('that is none, or of single pages, is an error that says so', async () => {
    expect((await read('hello', {}, 'a.pdf')).content).toMatch(/does not begin like one/);
    expect((await read('%PDF-1.4\n', { pages: '1-2' }, 'a.pdf')).content).toMatch(/without `pages`/);
  });
});

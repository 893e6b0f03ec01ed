import { describe, expect, it } from 'vitest';
import { memoryWorkspace } from '../../../src/workspace/adapters/memory.js';
import { textAt, toolsOn } from './support.js';

type Files = Record<string, string | Uint8Array>;

async function edited(
  before: string | Uint8Array,
  find: string,
  put: string,
  more: Record<string, unknown> = {},
) {
  const workspace = memoryWorkspace({ 'a.txt': before });
  const outcome = await toolsOn(workspace).call('Edit', {
    file_path: 'a.txt',
    old_string: find,
    new_string: put,
    ...more,
  });
  return { outcome, after: await textAt(workspace, 'a.txt') };
}

function started(files: Files) {
  const workspace = memoryWorkspace(files);
  const tools = toolsOn(workspace);
  const edit = (file_path: string, old_string: string, new_string: string) =>
    tools.call('Edit', { file_path, old_string, new_string });
  const overwrite = (path: string, text: string) =>
    workspace.write(`${workspace.root}/${path}`, new TextEncoder().encode(text));
  return { workspace, tools, edit, overwrite };
}

describe('R49: an edit changes what it names and nothing else', () => {
  it.each([
    ['a text that is there once', 'one two\n', 'two', '2', 'one 2\n'],
    ['a text with $& and $1 in its replacement', 'cost\n', 'cost', '$& $1 $$', '$& $1 $$\n'],
    ['lines of a file with Windows line ends', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['a line of a file with mixed line ends', 'a\r\nb\nc\r\n', 'b', 'B', 'a\r\nB\nc\r\n'],
    ['a file with a byte-order mark', '\uFEFFone\r\ntwo\r\n', 'two', '2', '\uFEFFone\r\n2\r\n'],
    [
      'typographic quotes named by straight ones',
      'say “hi” and it’s ok\n',
      `say "hi" and it's`,
      `say "bye", it's`,
      'say “bye”, it’s ok\n',
    ],
    ['straight quotes where there are both', 'say "hi" and “hi”\n', '"hi"', '"x"', 'say "x" and “hi”\n'],
    ['a whole line that goes, with its line end', 'a\nb\nc\n', 'b', '', 'a\nc\n'],
    ['a part of a line that goes, without its line end', 'foo b\nbar\n', ' b', '', 'foo\nbar\n'],
    ['a whole line of a file with Windows line ends', 'a\r\nb\r\nc\r\n', 'b', '', 'a\r\nc\r\n'],
  ])('%s', async (_, before, find, put, after) => {
    expect((await edited(before, find, put)).after).toBe(after);
  });

  it('replaces every occurrence with replace_all, also as a text', async () => {
    expect((await edited('a b a\n', 'a', 'x', { replace_all: true })).after).toBe('x b x\n');
    expect((await edited('a b a\n', 'a', 'x', { replace_all: 'true' })).after).toBe('x b x\n');
  });

  it('keeps UTF-16 with its byte-order mark', async () => {
    const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    const workspace = memoryWorkspace({ 'a.txt': utf16('hi\nyo\n') });
    await toolsOn(workspace).call('Edit', { file_path: 'a.txt', old_string: 'hi', new_string: 'hö' });
    expect(await workspace.read(`${workspace.root}/a.txt`)).toEqual(utf16('hö\nyo\n'));
  });
});

describe('R49: an edit that is not clear is refused before anybody is asked, and the file stays', () => {
  it.each([
    ['a text that is not there', 'a\n', 'z', 'y', {}, /does not contain/],
    ['a text that is there twice', 'a b a\n', 'a', 'x', {}, /2 times[\s\S]*replace_all/],
    ['a text that overlaps itself', 'aaa\n', 'aa', 'x', {}, /2 times/],
    ['the same text twice', 'a\n', 'a', 'a', {}, /the same/],
    ['an empty text in a file with content', 'a\n', '', 'x', {}, /has content already/],
    ['a file that is not UTF-8', new Uint8Array([0x61, 0xff, 0x0a]), 'a', 'b', {}, /not valid UTF-8/],
    ['a file with NUL bytes', 'a\0b\n', 'a', 'b', {}, /NUL bytes/],
    ['a parameter that does not exist', 'a\n', 'a', 'b', { bogus: 1 }, /no parameter `bogus`/],
  ])('%s', async (_, before, find, put, more, words) => {
    const bytes = typeof before === 'string' ? new TextEncoder().encode(before) : before;
    const workspace = memoryWorkspace({ 'a.txt': bytes });
    const input = { file_path: 'a.txt', old_string: find, new_string: put, ...more };
    const outcome = await toolsOn(workspace).call('Edit', input);
    expect(outcome.refused).toMatch(words);
    expect(await workspace.read(`${workspace.root}/a.txt`)).toEqual(bytes);
  });

  it('a missing file, a directory, a notebook', async () => {
    const { edit } = started({ 'sub/a.txt': 'a', 'n.ipynb': '{"cells":[]}' });
    expect((await edit('no.txt', 'a', 'b')).refused).toMatch(/no file at this path.*\/workspace/);
    expect((await edit('sub', 'a', 'b')).refused).toMatch(/is a directory/);
    expect((await edit('n.ipynb', 'cells', 'b')).refused).toMatch(/NotebookEdit/);
    expect((await edit('sub/a.txt/b.txt', '', 'b')).refused).toMatch(/a\.txt is a file, not a directory/);
  });
});

describe('R49: what the host is told of an edit', () => {
  it('has the file before, the patch with three lines around it, and what was found', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `l${index}`).join('\n');
    const { outcome } = await edited(`${lines}\n`, 'l6', '“6”');
    expect(outcome.detail).toEqual({
      filePath: 'a.txt',
      oldString: 'l6',
      newString: '“6”',
      originalFile: `${lines}\n`,
      structuredPatch: [
        {
          oldStart: 4,
          oldLines: 7,
          newStart: 4,
          newLines: 7,
          lines: [' l3', ' l4', ' l5', '-l6', '+“6”', ' l7', ' l8', ' l9'],
        },
      ],
      userModified: false,
      replaceAll: false,
      contentNotInModelContext: true,
    });
  });

  it('shows line ends as the model gives them, narrow tabs, and a last line without an end', async () => {
    const { outcome } = await edited('\t\ta\r\nb', 'b', 'c');
    expect(outcome.detail).toMatchObject({
      originalFile: '\t\ta\nb',
      structuredPatch: [
        { lines: ['     a', '-b', '\\ No newline at end of file', '+c', '\\ No newline at end of file'] },
      ],
    });
  });
});

describe('R49: what the model has seen of a file', () => {
  it('is all of it after a Read, a Write or the creation by an edit', async () => {
    const { tools, edit } = started({ 'a.txt': 'a\n' });
    await tools.call('Read', { file_path: 'a.txt' });
    await tools.call('Write', { file_path: 'w.txt', content: 'w\n' });
    await edit('e.txt', '', 'e\n');
    for (const name of ['a', 'w', 'e']) {
      expect((await edit(`${name}.txt`, name, 'x')).detail).not.toHaveProperty('contentNotInModelContext');
      expect((await edit(`${name}.txt`, 'x', 'y')).detail).not.toHaveProperty('contentNotInModelContext');
    }
  });

  it('is not all of it after a Read of a part, or after an edit of a file that was never read', async () => {
    const { tools, edit } = started({ 'a.txt': 'a\nb\n', 'b.txt': 'b\n' });
    await tools.call('Read', { file_path: 'a.txt', limit: 1 });
    expect((await edit('a.txt', 'b', 'c')).detail).toMatchObject({ contentNotInModelContext: true });
    await edit('b.txt', 'b', 'c');
    expect((await edit('b.txt', 'c', 'd')).detail).toMatchObject({ contentNotInModelContext: true });
  });

  it('does not have to be anything where Read is offered and would not ask', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'a\n', '/else/b.txt': 'b\n' });
    const input = (file_path: string) => ({ file_path, old_string: file_path.at(-5), new_string: 'x' });
    expect((await toolsOn(workspace).call('Edit', input('/else/b.txt'))).refused).toMatch(/was not read/);
    const blind = toolsOn(workspace, { offers: (name) => name !== 'Read' });
    expect((await blind.call('Edit', input('a.txt'))).refused).toMatch(/was not read/);
    expect((await toolsOn(workspace).call('Edit', input('a.txt'))).isError).toBeUndefined();
  });

  it('is told apart from what is there now: an edit that still fits is made, and the model hears of it', async () => {
    const { tools, edit, overwrite, workspace } = started({ 'a.txt': 'v1\n' });
    await tools.call('Read', { file_path: 'a.txt' });
    await overwrite('a.txt', 'v1\nforeign\n');
    const outcome = await edit('a.txt', 'v1', 'v2');
    expect(outcome.detail).toMatchObject({ staleRecovered: true, contentNotInModelContext: true });
    expect(outcome.content).toMatch(/changed by somebody else/);
    expect(await textAt(workspace, 'a.txt')).toBe('v2\nforeign\n');
    expect((await edit('a.txt', 'v2', 'v3')).detail).not.toHaveProperty('staleRecovered');
  });

  it('has become another text: an edit that does not fit any more, and every Write, is refused', async () => {
    const { tools, edit, overwrite, workspace } = started({ 'a.txt': 'v1\n' });
    await tools.call('Read', { file_path: 'a.txt' });
    await overwrite('a.txt', 'v1 v1\n');
    expect((await edit('a.txt', 'v1', 'v2')).refused).toMatch(/has changed since it was read/);
    expect((await tools.call('Write', { file_path: 'a.txt', content: '' })).refused).toMatch(/has changed/);
    expect(await textAt(workspace, 'a.txt')).toBe('v1 v1\n');
  });

  it('is the same if only the time of the file is another', async () => {
    const { tools, edit, overwrite } = started({ 'a.txt': 'v1\n' });
    await tools.call('Read', { file_path: 'a.txt' });
    await overwrite('a.txt', 'v1\n');
    expect((await edit('a.txt', 'v1', 'v2')).detail).not.toHaveProperty('staleRecovered');
  });

  it('is not asked for where a rule forbids reading: permission is decided first', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'secret\n' });
    const edit = await toolsOn(workspace, { mayRead: () => false }).find('Edit');
    const prepared = await edit.prepare?.({ file_path: 'a.txt', old_string: 'guess', new_string: 'x' });
    expect(prepared).toEqual({
      access: { kind: 'edit', path: '/workspace/a.txt', real: '/workspace/a.txt' },
      input: { file_path: '/workspace/a.txt', old_string: 'guess', new_string: 'x', replace_all: false },
    });
  });
});

it('R49: edits of one file that are made at once are made one after the other', async () => {
  const { edit, workspace } = started({ 'a.txt': 'a b c d\n' });
  await Promise.all(['a', 'b', 'c', 'd'].map((letter) => edit('a.txt', letter, letter.toUpperCase())));
  expect(await textAt(workspace, 'a.txt')).toBe('A B C D\n');
});

it('R49: an edit that was planned for another file is planned anew when it is made', async () => {
  const { tools, overwrite, workspace } = started({ 'a.txt': 'a\n' });
  const edit = await tools.find('Edit');
  const input = { file_path: 'a.txt', old_string: 'a', new_string: 'b' };
  const { access } = (await edit.prepare?.(input)) ?? {};
  await overwrite('a.txt', 'a a\n');
  const signal = new AbortController().signal;
  expect(await edit.run({ toolUseId: 't', input, access, signal })).toMatchObject({ isError: true });
  expect(await textAt(workspace, 'a.txt')).toBe('a a\n');
});

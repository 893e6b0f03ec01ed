/** Write and Edit: what they change, what they keep, and when they refuse. */
import { appendFileSync, chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { allowed, details, type FileCall, filesAfterwards, oneByOne } from '../support/file-calls.js';
import { writeFiles } from '../support/files.js';
import type { Context, Scenario } from '../support/scenario.js';

const read = (file_path: string, more: Record<string, unknown> = {}): FileCall => [
  'Read',
  { file_path, ...more },
];
const write = (file_path: string, content: unknown): FileCall => ['Write', { file_path, content }];
const edit = (
  file_path: string,
  old_string: string,
  new_string: string,
  more: Record<string, unknown> = {},
): FileCall => ['Edit', { file_path, old_string, new_string, ...more }];

/** Somebody else writes to files whose name begins with `stale`, as soon as the model has read them. */
function meddling({ box }: Context): Pick<Options, 'hooks'> {
  const append = (input: unknown): Promise<object> => {
    const { file_path } = (input as { tool_input: { file_path: string } }).tool_input;
    const name = basename(file_path);
    if (name.startsWith('stale')) appendFileSync(join(box.cwd, name), 'foreign\n');
    return Promise.resolve({});
  };
  return { hooks: { PostToolUse: [{ matcher: 'Read', hooks: [append] }] } };
}

const UTF16 = Buffer.from('\uFEFFone\r\ntwo\r\n', 'utf16le');
const LATIN1 = new Uint8Array([0x67, 0x72, 0xfc, 0x0a]);

export const fileChanging: readonly Scenario[] = [
  {
    name: 'Write creates and replaces files',
    cites: 's15-write-edit, builtin-tools 2, R49',
    script: oneByOne([
      write('n/e/w.txt', 'hello\n'),
      write('old.txt', 'new\nsame\n'),
      write('old.txt', 'new\nsame\n'),
      write(
        'many.txt',
        Array.from({ length: 30 }, (_, index) => `${index % 11 === 3 ? 'x' : index}\n`).join(''),
      ),
      write('tabs.txt', '\tone\n\t\tTWO\n'),
      read('crlf.txt'),
      write('crlf.txt', 'a\nc\n'),
      write('bom.txt', 'b\n'),
      write('utf16.txt', 'one\nthree\n'),
      write('windows.txt', 'a\r\nb\r\n'),
      write('empty.txt', ''),
      write('link.txt', 'through a link\n'),
      write('mode.sh', '#!/bin/sh\n'),
      write('n.ipynb', '{}'),
    ]),
    options: ({ box }) => {
      const lines = Array.from({ length: 30 }, (_, index) => `${index}\n`).join('');
      writeFiles(box.cwd, {
        'old.txt': 'old\nsame\n',
        'many.txt': lines,
        'tabs.txt': '\tone\n\t\ttwo\n',
        'crlf.txt': 'a\r\nb\r\n',
        'bom.txt': '\uFEFFa\n',
        'utf16.txt': UTF16,
        'target.txt': 'target\n',
        'mode.sh': 'old',
      });
      chmodSync(join(box.cwd, 'mode.sh'), 0o755);
      symlinkSync('target.txt', join(box.cwd, 'link.txt'));
      return allowed;
    },
    ...filesAfterwards(
      ...[
        'n/e/w.txt',
        'old.txt',
        'crlf.txt',
        'bom.txt',
        'utf16.txt',
        'windows.txt',
        'empty.txt',
        'target.txt',
      ],
      ...['mode.sh', 'n.ipynb'],
    ),
    check: (outcome) => {
      const shown = details(outcome);
      expect(shown[0]).toEqual({
        type: 'create',
        filePath: 'n/e/w.txt',
        content: 'hello\n',
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      });
      expect(shown[1]).toMatchObject({
        type: 'update',
        originalFile: 'old\nsame\n',
        structuredPatch: [
          { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-old', '+new', ' same'] },
        ],
      });
      expect(outcome.driven).toMatchObject({ 'n/e/w.txt': '644 hello\n', 'mode.sh': '755 #!/bin/sh\n' });
    },
  },
  {
    name: 'Write refuses what would lose something',
    cites: 's15-write-edit, builtin-tools 1, builtin-tools 2, R49',
    script: oneByOne([
      read('stale.txt'),
      write('stale.txt', 'mine'),
      read('part.txt', { limit: 1 }),
      write('part.txt', 'mine'),
      write('folder', 'x'),
      write('file.txt/below.txt', 'x'),
      write('latin1.txt', 'x'),
      write('nul.txt', 'x'),
      write('n.ipynb', '{"cells":[]}'),
      ['Write', { file_path: 'x.txt' }],
      ['Write', { content: 'x' }],
      write('x.txt', { a: 1 }),
      ['Write', { file_path: 'x.txt', content: 'x', surprise: 1 }],
    ]),
    options: (context) => {
      mkdirSync(join(context.box.cwd, 'folder'));
      writeFiles(context.box.cwd, {
        'stale.txt': 'v1\n',
        'part.txt': 'a\nb\nc\n',
        'file.txt': 'a file\n',
        'latin1.txt': LATIN1,
        'nul.txt': 'a\0b\n',
        'n.ipynb': '{"cells":[]}',
      });
      return { ...allowed, ...meddling(context) };
    },
    ...filesAfterwards('stale.txt', 'part.txt', 'file.txt', 'latin1.txt', 'nul.txt', 'n.ipynb', 'x.txt'),
    check: (outcome) => {
      expect(typeof details(outcome)[1]).toBe('string');
      expect(outcome.driven).toMatchObject({ 'stale.txt': '644 v1\nforeign\n', 'x.txt': null });
    },
  },
  {
    name: 'Edit replaces the text that is meant, and keeps the rest',
    cites: 's15-write-edit, builtin-tools 2, R49',
    script: oneByOne([
      read('e.txt'),
      edit('e.txt', 'beta', 'BETA'),
      edit('e.txt', 'alpha', 'A', { replace_all: true }),
      edit('e.txt', 'A', 'B', { replace_all: 'true' }),
      edit('made/new.txt', '', 'made\n'),
      edit('empty.txt', '', 'filled\n'),
      edit('blank.txt', '', 'filled\n'),
      read('crlf.txt'),
      edit('crlf.txt', 'a\nb', 'x\ny'),
      edit('mixed.txt', 'b\nc', 'B\nC'),
      edit('bom.txt', 'one', 'two'),
      edit('utf16.txt', 'one', 'three'),
      edit('mode.sh', 'old', 'new'),
      edit('dollar.txt', 'price', "$& $1 $$ $` $'"),
      edit('quotes.txt', 'say "hello" to \'him\'', 'cry "bye" to \'her\''),
      edit('gone.txt', 'two', ''),
      edit('tabs.txt', 'two', 'TWO'),
      edit('link.txt', 'target', 'changed'),
      edit('unread.txt', 'never', 'ever'),
      edit('unread.txt', 'ever', 'for ever'),
      read('part.txt', { limit: 1 }),
      edit('part.txt', 'c', 'C'),
      edit('overlap.txt', 'aa', 'b', { replace_all: true }),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, {
        'e.txt': 'alpha\nbeta\nalpha\n',
        'empty.txt': '',
        'blank.txt': ' \n\n',
        'crlf.txt': 'a\r\nb\r\n',
        'mixed.txt': 'a\r\nb\nc\r\nd\r\n',
        'bom.txt': '\uFEFFone\n',
        'utf16.txt': UTF16,
        'mode.sh': 'old\n',
        'dollar.txt': 'the price is\n',
        'quotes.txt': 'say “hello” to ‘him’, it’s late\n',
        'gone.txt': 'one\ntwo\nthree\nfour\n',
        'tabs.txt': '\tone\n\t\ttwo\n',
        'target.txt': 'target\n',
        'unread.txt': 'never read\n',
        'part.txt': 'a\nb\nc\n',
        'overlap.txt': 'aaaaa\n',
      });
      chmodSync(join(box.cwd, 'mode.sh'), 0o755);
      symlinkSync('target.txt', join(box.cwd, 'link.txt'));
      return allowed;
    },
    ...filesAfterwards(
      ...['e.txt', 'made/new.txt', 'empty.txt', 'blank.txt', 'crlf.txt', 'mixed.txt', 'bom.txt', 'utf16.txt'],
      ...[
        'mode.sh',
        'dollar.txt',
        'quotes.txt',
        'gone.txt',
        'tabs.txt',
        'target.txt',
        'unread.txt',
        'part.txt',
      ],
      ...['overlap.txt'],
    ),
    check: (outcome) => {
      expect(outcome.driven).toMatchObject({
        'e.txt': '644 B\nBETB\nB\n',
        'crlf.txt': '644 x\r\ny\r\n',
        'mode.sh': '755 new\n',
        'dollar.txt': "644 the $& $1 $$ $` $' is\n",
        'made/new.txt': '644 made\n',
      });
      expect(details(outcome)[19]).toMatchObject({ contentNotInModelContext: true });
    },
  },
  {
    name: 'Edit takes away the end of a line',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([edit('a.txt', ' two', '')]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'one two\nthree\n' });
      return allowed;
    },
    ...filesAfterwards('a.txt'),
  },
  {
    name: 'Edit refuses what is not clear',
    cites: 's15-write-edit, builtin-tools 1, builtin-tools 2, R49',
    script: oneByOne([
      edit('e.txt', 'zzz', 'y'),
      edit('e.txt', 'alpha', 'A'),
      edit('e.txt', 'beta', 'beta'),
      edit('e.txt', '', 'x'),
      edit('missing.txt', 'a', 'b'),
      edit('folder', 'a', 'b'),
      edit('latin1.txt', 'gr', 'x'),
      edit('nul.txt', 'a', 'x'),
      edit('n.ipynb', 'cells', 'x'),
      ['Edit', { file_path: 'e.txt', old_string: 'alpha' }],
      edit('e.txt', 'alpha', 'A', { replace_all: 'yes' }),
      edit('e.txt', 'alpha', 'A', { surprise: 1 }),
    ]),
    options: ({ box }) => {
      mkdirSync(join(box.cwd, 'folder'));
      writeFiles(box.cwd, {
        'e.txt': 'alpha\nbeta\nalpha\n',
        'latin1.txt': LATIN1,
        'nul.txt': 'a\0b\n',
        'n.ipynb': '{"cells":[]}',
      });
      return allowed;
    },
    ...filesAfterwards('e.txt', 'latin1.txt', 'nul.txt', 'n.ipynb', 'missing.txt'),
    check: (outcome) => {
      const shown = details(outcome);
      expect(shown.every((detail) => typeof detail === 'string')).toBe(true);
      expect(shown[1]).toMatch(/2.*replace_all/s);
      expect(outcome.driven).toMatchObject({ 'e.txt': '644 alpha\nbeta\nalpha\n' });
    },
  },
  {
    name: 'Edit of a text that could be meant in two places',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([edit('overlap.txt', 'aa', 'b'), edit('quotes.txt', '"', 'x')]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'overlap.txt': 'aaa\n', 'quotes.txt': '“hello”\n' });
      return allowed;
    },
    ...filesAfterwards('overlap.txt', 'quotes.txt'),
  },
  {
    name: 'Edit of files that others have changed',
    cites: 's15-write-edit, builtin-tools 2, R49',
    script: oneByOne([
      read('stale.txt'),
      edit('stale.txt', 'v1', 'v2'),
      edit('stale.txt', 'foreign', 'known'),
      read('stale-lost.txt'),
      edit('stale-lost.txt', 'zzz', 'v2'),
      read('stale-twice.txt'),
      edit('stale-twice.txt', 'v1', 'v2'),
      read('stale-twice.txt'),
      edit('stale-twice.txt', 'v2', 'v3'),
    ]),
    options: (context) => {
      writeFiles(context.box.cwd, {
        'stale.txt': 'v1\n',
        'stale-lost.txt': 'v1\n',
        'stale-twice.txt': 'v1\n',
      });
      return { ...allowed, ...meddling(context) };
    },
    ...filesAfterwards('stale.txt', 'stale-lost.txt', 'stale-twice.txt'),
    check: (outcome) => {
      expect(details(outcome)[1]).toMatchObject({ staleRecovered: true, contentNotInModelContext: true });
      expect(outcome.driven).toMatchObject({ 'stale.txt': '644 v2\nknown\n' });
    },
  },
  {
    name: 'Edit without Read changes only what the model has made',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([
      edit('old.txt', 'old', 'new'),
      write('old.txt', 'new'),
      edit('new.txt', '', 'one\n'),
      edit('new.txt', 'one', 'two'),
      write('other.txt', 'one\n'),
      edit('other.txt', 'one', 'two'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'old.txt': 'old\n' });
      return { tools: ['Edit', 'Write'], allowedTools: ['Edit', 'Write'] };
    },
    ...filesAfterwards('old.txt', 'new.txt', 'other.txt'),
    check: (outcome) => {
      expect(outcome.driven).toEqual({
        'old.txt': '644 old\n',
        'new.txt': '644 two\n',
        'other.txt': '644 two\n',
      });
    },
  },
];

import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { at, bytes, type Case, textOf } from './case.js';

/** Names that shells and URLs tend to change. */
const AWKWARD = [
  'with space.txt',
  "it's.txt",
  '"$HOME".txt',
  '-n',
  '*.txt',
  'Grüße 世界 🧵.txt',
  '.hidden',
  'a\\b',
];

export const FILE_CASES: readonly Case[] = [
  [
    'the root is a directory, under a path without links',
    async (workspace) => {
      const { root } = workspace;
      ok(/^(\/|[A-Za-z]:\/)/.test(root), `the root "${root}" is not absolute`);
      deepStrictEqual(await workspace.locate(root), { real: root, kind: 'directory' });
      strictEqual((await workspace.stat(root))?.kind, 'directory');
      deepStrictEqual(await workspace.list(root), []);
    },
  ],
  [
    'locate: relative paths start at the root, and what is not there is taken as it is written',
    async (workspace) => {
      await workspace.write(at(workspace, 'a/b.txt'), bytes('b'));
      const located = async (path: string): Promise<unknown> => workspace.locate(path);
      const b = { real: at(workspace, 'a/b.txt'), kind: 'file' };
      deepStrictEqual(await located('a/b.txt'), b);
      deepStrictEqual(await located('./a//../a/./b.txt'), b);
      deepStrictEqual(await located(at(workspace, 'a/../a/b.txt')), b);
      deepStrictEqual(await located('a'), { real: at(workspace, 'a'), kind: 'directory' });
      deepStrictEqual(await located('x/y.txt'), { real: at(workspace, 'x/y.txt'), kind: undefined });
    },
  ],
  [
    'a file comes back as it was written, and the directories above it are made',
    async (workspace) => {
      const every = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
      await workspace.write(at(workspace, 'one/two/three.bin'), every);
      deepStrictEqual(new Uint8Array(await workspace.read(at(workspace, 'one/two/three.bin'))), every);
    },
  ],
  [
    'a file is replaced as a whole, by a shorter content and by none',
    async (workspace) => {
      await workspace.write(at(workspace, 'a.txt'), bytes('a long content'));
      await workspace.write(at(workspace, 'a.txt'), bytes('short'));
      strictEqual(await textOf(workspace, 'a.txt'), 'short');
      await workspace.write(at(workspace, 'a.txt'), bytes(''));
      strictEqual(await textOf(workspace, 'a.txt'), '');
      deepStrictEqual(await workspace.list(workspace.root), [{ name: 'a.txt', kind: 'file' }]);
    },
  ],
  [
    "later changes to the caller's bytes have no effect, nor do those to what was read",
    async (workspace) => {
      const mine = bytes('mine');
      await workspace.write(at(workspace, 'a.txt'), mine);
      mine.fill(0);
      (await workspace.read(at(workspace, 'a.txt'))).fill(0);
      strictEqual(await textOf(workspace, 'a.txt'), 'mine');
    },
  ],
  [
    'read: not more than `maxBytes`, from the beginning',
    async (workspace) => {
      await workspace.write(at(workspace, 'a.txt'), bytes('0123456789'));
      const head = async (maxBytes: number): Promise<string> =>
        new TextDecoder().decode(await workspace.read(at(workspace, 'a.txt'), { maxBytes }));
      deepStrictEqual([await head(4), await head(10), await head(100)], ['0123', '0123456789', '0123456789']);
    },
  ],
  [
    'read: rejects if its signal is aborted',
    async (workspace) => {
      await workspace.write(at(workspace, 'a.txt'), bytes('a'));
      const signal = AbortSignal.abort();
      await rejects(async () => workspace.read(at(workspace, 'a.txt'), { signal }));
    },
  ],
  [
    'what is missing, or of another kind, is refused with a reason, and nothing changes',
    async (workspace) => {
      await workspace.write(at(workspace, 'directory/a.txt'), bytes('a'));
      const refused = async (doing: () => Promise<unknown>): Promise<void> =>
        rejects(doing, (error) => error instanceof Error && error.message.length > 0);
      await refused(() => workspace.read(at(workspace, 'none.txt')));
      await refused(() => workspace.read(at(workspace, 'directory')));
      await refused(() => workspace.list(at(workspace, 'none')));
      await refused(() => workspace.list(at(workspace, 'directory/a.txt')));
      await refused(() => workspace.write(at(workspace, 'directory'), bytes('x')));
      await refused(() => workspace.write(at(workspace, 'directory/a.txt/b.txt'), bytes('x')));
      await refused(() => workspace.remove(at(workspace, 'directory')));
      strictEqual(await textOf(workspace, 'directory/a.txt'), 'a');
      deepStrictEqual(await workspace.list(at(workspace, 'directory')), [{ name: 'a.txt', kind: 'file' }]);
    },
  ],
  [
    'stat: kind and size; undefined where nothing is; the time goes forward',
    async (workspace) => {
      await workspace.write(at(workspace, 'a.txt'), bytes('12345'));
      const first = await workspace.stat(at(workspace, 'a.txt'));
      strictEqual(first?.kind, 'file');
      strictEqual(first.size, 5);
      ok(Number.isFinite(first.modifiedMs) && first.modifiedMs > 0);
      await workspace.write(at(workspace, 'a.txt'), bytes('1'));
      const second = await workspace.stat(at(workspace, 'a.txt'));
      strictEqual(second?.size, 1);
      ok(second.modifiedMs >= first.modifiedMs);
      strictEqual(await workspace.stat(at(workspace, 'none')), undefined);
      strictEqual(await workspace.stat(at(workspace, 'a.txt/none')), undefined);
    },
  ],
  [
    'remove: the file is gone, and a second time nothing happens',
    async (workspace) => {
      await workspace.write(at(workspace, 'a/b.txt'), bytes('b'));
      await workspace.remove(at(workspace, 'a/b.txt'));
      await workspace.remove(at(workspace, 'a/b.txt'));
      await workspace.remove(at(workspace, 'none/b.txt'));
      strictEqual(await workspace.stat(at(workspace, 'a/b.txt')), undefined);
    },
  ],
  [
    'names of every kind are kept, also by lists',
    async (workspace) => {
      for (const name of AWKWARD) await workspace.write(at(workspace, `d/${name}`), bytes(name));
      await workspace.write(at(workspace, 'd/below/c.txt'), bytes('c'));
      for (const name of AWKWARD) strictEqual(await textOf(workspace, `d/${name}`), name);
      const entries = await workspace.list(at(workspace, 'd'));
      const sorted = (names: string[]): string[] => names.sort();
      deepStrictEqual(
        sorted(entries.map(({ name, kind }) => `${kind} ${name}`)),
        sorted([...AWKWARD.map((name) => `file ${name}`), 'directory below']),
      );
    },
  ],
  [
    'a reader sees the old content or the new one, whole, and one of several writers wins',
    async (workspace) => {
      const content = (letter: string): Uint8Array => bytes(letter.repeat(100_000));
      await workspace.write(at(workspace, 'a.txt'), content('0'));
      const writers = ['1', '2', '3', '4'].map((letter) =>
        workspace.write(at(workspace, 'a.txt'), content(letter)),
      );
      const readers = Array.from({ length: 8 }, () => textOf(workspace, 'a.txt'));
      await Promise.all(writers);
      for (const text of [...(await Promise.all(readers)), await textOf(workspace, 'a.txt')]) {
        ok(/^(0+|1+|2+|3+|4+)$/.test(text) && text.length === 100_000, 'a mixture of contents was read');
      }
      deepStrictEqual(await workspace.list(workspace.root), [{ name: 'a.txt', kind: 'file' }]);
    },
  ],
  [
    'a large file and many files are kept completely',
    async (workspace) => {
      const large = new Uint8Array(3_000_000).map((_, index) => index % 251);
      await workspace.write(at(workspace, 'large.bin'), large);
      ok(Buffer.from(large).equals(await workspace.read(at(workspace, 'large.bin'))));
      const names = Array.from({ length: 200 }, (_, index) => `f${index}.txt`);
      await Promise.all(names.map((name) => workspace.write(at(workspace, `many/${name}`), bytes(name))));
      strictEqual((await workspace.list(at(workspace, 'many'))).length, 200);
    },
  ],
];

import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { Workspace } from '../../workspace/workspace.js';
import { at, bytes, type Case, ran, textOf } from './case.js';

/** Where a command has made the links of a case. */
function withLinks(name: string, script: string, check: (workspace: Workspace) => Promise<void>): Case {
  return [
    `links: ${name}`,
    async (workspace) => {
      if (workspace.exec === undefined) return;
      await workspace.write(at(workspace, 'real/a.txt'), bytes('a'));
      strictEqual((await ran(workspace, script)).code, 0);
      await check(workspace);
    },
  ];
}

async function refused(doing: () => Promise<unknown>): Promise<void> {
  await rejects(doing, (error) => error instanceof Error && error.message.length > 0);
}

export const LINK_CASES: readonly Case[] = [
  withLinks(
    'locate follows them, also to what is not there',
    'ln -s real to-directory; ln -s real/a.txt to-file; ln -s real/none.txt to-nothing; ln -s to-directory twice',
    async (workspace) => {
      const file = { real: at(workspace, 'real/a.txt'), kind: 'file' };
      deepStrictEqual(await workspace.locate('to-file'), file);
      deepStrictEqual(await workspace.locate('to-directory/a.txt'), file);
      deepStrictEqual(await workspace.locate('twice/a.txt'), file);
      const missing = { real: at(workspace, 'real/none.txt'), kind: undefined };
      deepStrictEqual(await workspace.locate('to-nothing'), missing);
      deepStrictEqual(await workspace.locate('twice/none.txt'), missing);
    },
  ),
  withLinks(
    'one that leads in a circle is refused, and does not hang',
    'ln -s one two; ln -s two one',
    async (workspace) => {
      await refused(() => workspace.locate('one'));
      await refused(() => workspace.read(at(workspace, 'one')));
    },
  ),
  withLinks(
    'every method but locate refuses a path with a link in it',
    'ln -s real to-directory; ln -s real/a.txt to-file; ln -s nowhere to-nothing',
    async (workspace) => {
      for (const path of ['to-file', 'to-directory/a.txt']) {
        await refused(() => workspace.read(at(workspace, path)));
        await refused(() => workspace.stat(at(workspace, path)));
        await refused(() => workspace.write(at(workspace, path), bytes('changed')));
        await refused(() => workspace.remove(at(workspace, path)));
      }
      await refused(() => workspace.write(at(workspace, 'to-nothing'), bytes('x')));
      await refused(() => workspace.write(at(workspace, 'to-directory/new/b.txt'), bytes('x')));
      await refused(() => workspace.list(at(workspace, 'to-directory')));
      await refused(() => ran(workspace, 'echo here', { cwd: at(workspace, 'to-directory') }));
      strictEqual(await textOf(workspace, 'real/a.txt'), 'a');
      strictEqual(await workspace.stat(at(workspace, 'nowhere')), undefined);
      deepStrictEqual(await workspace.list(at(workspace, 'real')), [{ name: 'a.txt', kind: 'file' }]);
    },
  ),
  withLinks('a list names them as links', 'ln -s a.txt real/link', async (workspace) => {
    const entries = await workspace.list(at(workspace, 'real'));
    ok(entries.some(({ name, kind }) => name === 'link' && kind === 'link'));
  }),
];

import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { Workspace } from '../../workspace/workspace.js';
import { at, bytes, type Case, ran, textOf } from './case.js';

/** Commands are tested where there are any. */
function withCommands(name: string, check: (workspace: Workspace) => Promise<void>): Case {
  return [
    `exec: ${name}`,
    async (workspace) => {
      if (workspace.exec !== undefined) await check(workspace);
    },
  ];
}

export const COMMAND_CASES: readonly Case[] = [
  withCommands('output and exit code; both streams are one, in order', async (workspace) => {
    const { output, code, signal } = await ran(workspace, 'echo one; echo two >&2; echo three; exit 7');
    deepStrictEqual({ output, code, signal }, { output: 'one\ntwo\nthree\n', code: 7, signal: null });
    strictEqual((await ran(workspace, 'true')).code, 0);
    strictEqual((await ran(workspace, 'no-such-program-anywhere')).code, 127);
  }),
  withCommands('it works on the same files, and its input is empty', async (workspace) => {
    await workspace.write(at(workspace, 'a.txt'), bytes('from the file\n'));
    strictEqual((await ran(workspace, 'cat a.txt; cat')).output, 'from the file\n');
    await ran(workspace, 'printf changed > a.txt');
    strictEqual(await textOf(workspace, 'a.txt'), 'changed');
  }),
  withCommands(
    'it runs in the given directory, with the given environment and no other',
    async (workspace) => {
      await workspace.write(at(workspace, 'sub dir/a.txt'), bytes(''));
      const { output } = await ran(workspace, 'pwd; echo "$GREETING|$HOME_OF_THE_HOST"', {
        cwd: at(workspace, 'sub dir'),
        env: { PATH: process.env.PATH, GREETING: 'it\'s "fine" $HOME' },
      });
      strictEqual(output, `${at(workspace, 'sub dir')}\nit's "fine" $HOME|\n`);
    },
  ),
  withCommands('it tells the directory in which the command ended', async (workspace) => {
    await workspace.write(at(workspace, 'sub/a.txt'), bytes(''));
    strictEqual((await ran(workspace, 'true')).cwd, workspace.root);
    strictEqual((await ran(workspace, 'cd sub')).cwd, at(workspace, 'sub'));
    strictEqual((await ran(workspace, 'cd sub; exit 3')).cwd, at(workspace, 'sub'));
    const { output, code } = await ran(workspace, 'cd sub && if');
    ok(code !== 0 && output.length > 0, 'a command that makes no sense must fail and say so');
  }),
  withCommands('quotes, lines and what looks like an option arrive as they are', async (workspace) => {
    strictEqual((await ran(workspace, `printf '%s' 'a"b$c\\d'`)).output, 'a"b$c\\d');
    strictEqual((await ran(workspace, 'cat <<END\nfirst\nsecond\nEND')).output, 'first\nsecond\n');
    strictEqual((await ran(workspace, 'for each in 1 2; do\n  echo "$each"\ndone')).output, '1\n2\n');
    strictEqual((await ran(workspace, '-v')).code, 127);
  }),
  withCommands('nothing of a long output is lost, and one who is busy holds it up', async (workspace) => {
    let isBusy = false;
    let length = 0;
    const { code } = await ran(workspace, 'head -c 2000000 /dev/zero', {
      onOutput: async (chunk) => {
        ok(!isBusy, 'output came while the last piece was not yet taken');
        isBusy = true;
        length += chunk.length;
        await new Promise((resolve) => setTimeout(resolve, 0));
        isBusy = false;
      },
    });
    deepStrictEqual({ code, length }, { code: 0, length: 2_000_000 });
  }),
  withCommands(
    'kill ends it and what it has started, and a second time nothing happens',
    async (workspace) => {
      ok(workspace.exec);
      let begun = (): void => {};
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const running = workspace.exec('sleep 1000 & echo begun; wait; echo "still here" > late.txt', {
        cwd: workspace.root,
        env: { PATH: process.env.PATH },
        onOutput: () => begun(),
      });
      await hasBegun;
      await running.kill();
      const { code } = await running.ended;
      ok(code !== 0, 'a command that was killed has not succeeded');
      await running.kill();
      strictEqual(await workspace.stat(at(workspace, 'late.txt')), undefined);
    },
  ),
  withCommands('a directory that does not exist is an error of the start', async (workspace) => {
    await rejects(async () => ran(workspace, 'echo here', { cwd: at(workspace, 'none') }));
  }),
];

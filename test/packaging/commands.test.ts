/** The commands of the documentation, each run as it stands there. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scriptedMessagesApi, text } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { COMMANDS, planFor, type Runs } from './support/documented-commands.js';
import { commands, documents, root } from './support/documents.js';

const pages = await documents();
const documented = pages.flatMap(({ path, text: page }) =>
  commands(page).map((command) => ({ path, command })),
);
const run = Object.entries(COMMANDS).filter((entry): entry is [string, Runs] => 'in' in entry[1]);

const box = sandbox();
const project = join(box.cwd, 'shop');

/** A folder as `tenon new` makes it, with Tenon installed, an MCP server configured and `claude` in the path. */
beforeAll(async () => {
  const program = join(root, 'dist/commands/bin.js');
  await promisify(execFile)(process.execPath, [program, 'new', project]);
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
  await mkdir(join(box.home, 'bin'));
  await symlink(root, join(project, 'node_modules/tenon'));
  await symlink(join(root, 'node_modules/zod'), join(project, 'node_modules/zod'));
  // npm would make a link, and the program executable.
  const tenon = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(project, 'node_modules/.bin/tenon'), tenon, { mode: 0o755 });
  await symlink(cliPath, join(box.home, 'bin/claude'));
  const github = { command: 'npx', args: ['tenon', 'serve', './tools.js', '--stdio'] };
  await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { github } }));
});

afterAll(() => box[Symbol.asyncDispose]());

it('every command of the documentation is run, or there is a reason why not', () => {
  const unknown = documented.filter(({ path, command }) => planFor(path, command) === undefined);
  expect(unknown).toEqual([]);
  const gone = Object.keys(COMMANDS).filter((known) => !documented.some(({ command }) => command === known));
  expect(gone, 'no page names these any more').toEqual([]);
});

it.each(run)('%s', async (command, { in: place, prints }) => {
  await using api = await scriptedMessagesApi(() => text('That is what I found.'));
  const path = `${join(box.home, 'bin')}:${process.env.PATH}`;
  const env = box.env(api, { PATH: path });
  const cwd = place === 'checkout' ? root : project;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd, env });
  expect(stdout + stderr).toMatch(prints);
});

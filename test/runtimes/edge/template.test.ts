/** The project that `tenon new --worker` makes, followed literally under workerd. */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tenon } from '../../commands/support/tenon.js';
import { ITS_PACKAGES, installBuilt } from '../../support/built-package.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { sandbox } from '../../support/real-cli.js';

const workerd = fileURLToPath(new URL('../node_modules/workerd', import.meta.url));

it('npm test of a new worker bundles it and asks it under workerd, without a network and a key (R47)', async () => {
  await using box = sandbox();
  await tenon(['new', 'shop', '--worker'], { cwd: box.cwd });
  const folder = join(box.cwd, 'shop');
  const packages = ['zod', '@anthropic-ai', 'esbuild', ...ITS_PACKAGES];
  await installBuilt(folder, packages);
  await symlink(workerd, join(folder, 'node_modules', 'workerd'));
  const npmTest = () => promisify(execFile)('npm', ['test'], { cwd: folder, timeout: PATIENCE_MS });
  expect((await npmTest()).stdout).toMatch(/pass 2\b/);

  // A test that cannot fail would be no help: the tool is broken, and the test says so.
  const tools = join(folder, 'tools.js');
  await writeFile(tools, (await readFile(tools, 'utf8')).replace("['hammer', 7]", "['hammer', 8]"));
  await expect(npmTest()).rejects.toMatchObject({ stdout: expect.stringMatching(/fail 1\b/) });
});

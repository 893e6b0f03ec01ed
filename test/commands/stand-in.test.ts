/** `tenon stand-in`. What it writes is installed and used in test/adoption/stand-in.test.ts, and compiled in types.test.ts. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as entry from '../../src/index.js';
import { sandbox } from '../support/real-cli.js';
import { tenon } from './support/tenon.js';

const read = (path: string | URL) => JSON.parse(readFileSync(path, 'utf8'));
const repository = new URL('../../', import.meta.url);
const official = read(
  new URL('test/reference/node_modules/@anthropic-ai/claude-agent-sdk/package.json', repository),
);

it('writes a package with the name, the entries and the version of the official SDK, and says how to install it', async () => {
  await using box = sandbox();
  const { code, stdout } = await tenon(['stand-in', './sdk'], { cwd: box.cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining(
      `  npm pack ./sdk\n  npm install ./anthropic-ai-claude-agent-sdk-${official.version}+tenon.tgz\n`,
    ),
  });
  const manifest = read(join(box.cwd, 'sdk/package.json'));
  expect(manifest).toMatchObject({
    name: official.name,
    version: `${official.version}+tenon`,
    private: true,
  });
  expect(Object.keys(manifest.exports).sort()).toEqual(
    [...Object.keys(official.exports), './package.json'].sort(),
  );
  expect(manifest.peerDependencies).toEqual({
    tenon: `>=${read(new URL('package.json', repository)).version}`,
  });
});

it('names every export by itself, since loaders of tracers cannot all read a star', async () => {
  await using box = sandbox();
  await tenon(['stand-in', 'sdk'], { cwd: box.cwd });
  const text = readFileSync(join(box.cwd, 'sdk/sdk.mjs'), 'utf8');
  const [, list = ''] = /^export \{([^}]*)\} from "tenon";$/m.exec(text) ?? [];
  const names = list.split(',').map((name) => name.trim());
  expect([...names.filter((name) => name !== ''), 'query'].sort()).toEqual(Object.keys(entry).sort());
});

it('overwrites nothing, and wants a folder', async () => {
  await using box = sandbox();
  await writeFile(join(box.cwd, 'package.json'), '{}');
  const taken = await tenon(['stand-in', '.'], { cwd: box.cwd });
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('"." is not empty') });
  const nowhere = await tenon(['stand-in'], { cwd: box.cwd });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('a folder is required') });
  const json = await tenon(['stand-in', 'sdk', '--json'], { cwd: box.cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({
    type: 'created',
    files: expect.arrayContaining(['sdk.mjs']),
  });
});

/** The README and "Your first tool", followed to the letter in an empty folder with the packed package. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { blocks, root } from './support/documents.js';

const readme = await readFile(join(root, 'README.md'), 'utf8');
const guide = await readFile(join(root, 'docs/guide/first-tool.md'), 'utf8');
const testing = await readFile(join(root, 'docs/guide/testing-your-agent.md'), 'utf8');
const box = sandbox();
const shop = join(box.cwd, 'shop');

const shell = (command: string, cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  promisify(execFile)('sh', ['-e', '-c', command], { cwd, env });

/** Files that a page tells to save: name and content. */
function filesOf(page: string): [name: string, content: string][] {
  const saved = page.matchAll(/Save this as `([^`]+)`:\n\n(?:<!--.*-->\n)?```\w+\n(.*?)^```/gms);
  return [...saved].map(([, name = '', content = '']) => [name, content]);
}

const commandOf = (page: string, start: string): string => {
  const block = blocks(page, 'sh').find((each) => each.startsWith(start));
  if (block === undefined) throw new Error(`The page has no command that starts with "${start}".`);
  return block.trim();
};

const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
let isOffline = false;

beforeAll(async () => {
  const checkout = join(box.cwd, 'checkout');
  await mkdir(checkout);
  const [pack, ...others] = commandOf(readme, 'npm pack').split('\n');
  expect(pack).toBe('npm pack --pack-destination ..');
  // Not beside the real checkout, where another run of this test may be at work. The build is there already.
  await shell(`npm pack --ignore-scripts --pack-destination '${box.cwd}'`, root);
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  const installed = await shell(others.join('\n'), checkout, { ...process.env, ...npm }).catch(
    (error) => error,
  );
  if (installed instanceof Error && NO_REGISTRY.test(installed.message)) {
    isOffline = true;
    return;
  }
  if (installed instanceof Error) throw installed;
  for (const [name, content] of [...filesOf(readme), ...filesOf(guide)]) {
    await writeFile(join(shop, name), content);
  }
});

beforeEach(({ skip }) => skip(isOffline, 'npm cannot reach its registry'));

afterAll(() => box[Symbol.asyncDispose]());

it('the first tool of the README has at most 15 lines, and the agent calls it', async () => {
  await using api = await scriptedMessagesApi([
    toolUse('mcp__shop__stock', { product: 'spoon' }),
    toolUse('mcp__shop__stock', { product: 'hammer' }),
    text('Yes, seven.'),
  ]);
  expect(filesOf(readme).map(([name, content]) => [name, content.trim().split('\n').length])).toEqual([
    ['shop.mjs', 15],
  ]);
  const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
  const { stdout, stderr } = await shell(commandOf(readme, 'node '), shop, env);
  expect({ stdout, stderr }).toEqual({ stdout: 'Yes, seven.\n', stderr: '' });
  expect(JSON.stringify(api.requests[1]?.toolResults)).toContain('There are: hammer.');
  expect(JSON.stringify(api.requests[2]?.toolResults)).toContain('hammer: 7 in stock');
  api.assertDone();
});

it('the guide begins as the README does, and its tool runs without any model', async () => {
  expect(commandOf(guide, 'npm pack')).toBe(commandOf(readme, 'npm pack'));
  // Nobody listens at port 1: whoever wants a network fails.
  const env = box.env(undefined, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
  const { stdout } = await shell(commandOf(guide, 'node '), shop, env);
  expect(stdout).toMatch(
    /^tool: .*There are: hammer, saw\..*\ntool: .*hammer: 7 in stock.*\nagent: There are seven hammers\.\n$/,
  );
});

it('the tool of the guide runs in the terminal by the command that it names', async () => {
  await using api = await scriptedMessagesApi([
    toolUse('mcp__shop__stock', { product: 'saw' }),
    text('Two saws.'),
  ]);
  const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
  // Nobody is there to be asked.
  const { stdout, stderr } = await shell(`${commandOf(guide, 'npx tenon run')} --yes`, shop, env);
  expect(stdout).toContain('Two saws.');
  expect(stderr).toContain('saw: 2 in stock');
  api.assertDone();
});

// Those that need no real model. Node 20 does not know `await using`.
const offline = blocks(testing, 'ts').filter((code) => !code.includes('anthropic('));

it.each(offline.map((code, index) => [index + 1, code] as const))(
  'snippet %i of the page on testing does what it says',
  async (index, code) => {
    const file = `testing-${index}.mjs`;
    const { code: plain } = await transform(code, { loader: 'ts', target: 'node20' });
    await writeFile(join(shop, file), plain);
    const { stdout } = await shell(
      `node ${file}`,
      shop,
      box.env(undefined, { CLAUDE_CODE_EXECUTABLE: cliPath }),
    );
    expect(stdout).toMatch(/^# pass [1-9]\d*$|^success \[/m);
  },
);

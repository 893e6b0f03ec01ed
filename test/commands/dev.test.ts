/** `tenon dev`, over HTTP as its page does it (R58). */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text, toolUse } from '../../src/testing/index.js';
import { alive, descendants, sandbox, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES } from './support/agent.js';
import { bare, dev } from './support/playground.js';
import { project } from './support/project.js';
import { start } from './support/tenon.js';

const SHOP = `import { tool } from 'tenon';
import { prices } from './lib/prices.js';
export const price = tool('price', 'What it costs', { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] },
  ({ product }) => prices[product] ?? '');
`;
const FILES = {
  'package.json': '{"type":"module"}',
  'shop.js': SHOP,
  'lib/prices.js': "export const prices = { hammer: '12 euros' };\n",
};
const WITH_STOCK = `${SHOP}export const stock = tool('stock', 'How many there are', { type: 'object' }, () => 'seven of them');\n`;

describe('tenon dev without a model', () => {
  it('says plainly that a rehearsal model answers, in terminal and page, and what it can do', async () => {
    await using box = sandbox();
    await project(box.cwd, FILES);
    await using it = await dev([], bare(box), box.cwd);
    const words =
      'Neither a Claude Code CLI nor a key was found: a rehearsal model answers. It understands nothing, but calls your tools';
    expect(it.first).toMatchObject({ type: 'listening', model: words, isReal: false });
    expect(it.page.playground).toMatchObject({ file: 'shop.js', model: words, isReal: false, loads: 1 });
    expect(it.page.lines[0]).toMatchObject({ feed: 'hello', source: 'playground', control: true });
    await it.page.prompt('What can you do?');
    expect(it.output()).toMatch(
      /I understand nothing, but I call your tools[\s\S]*\n {2}price product=<string>\n/,
    );
    await it.page.prompt('price prodct=hammer');
    expect(it.output()).toContain('there is no argument "prodct". Did you mean product?');
  });

  it('asks on the page, calls the tool, and quotes its result; a form calls it too, with the checks of its schema', async () => {
    await using box = sandbox();
    await project(box.cwd, FILES);
    await using it = await dev([], bare(box), box.cwd);
    const { page } = it;
    const turn = page.prompt('call price {"product":"hammer"}');
    await waitUntil(() => page.questions.length === 1, { what: 'the question' });
    const [question] = page.questions;
    expect(question).toMatchObject({ tool: 'mcp__shop__price', input: { product: 'hammer' } });
    expect(await page.post('/api/answer', { id: question?.id, answer: 'always' })).toMatchObject({
      status: 200,
    });
    // The first answer counts.
    expect(await page.post('/api/answer', { id: question?.id, answer: 'no' })).toMatchObject({ status: 409 });
    await turn;
    await page.sees(
      (line) => 'feed' in line && line.feed === 'answered' && line.by === 'page',
      'that it was answered',
    );
    expect(it.output()).toContain('shop.price answered: 12 euros');
    await waitUntil(() => page.frames.includes('12 euros'), { what: 'the result among the frames' });
    const form = (input: object) =>
      page.post('/api/call', { server: 'shop', tool: 'price', arguments: input });
    expect(await form({})).toMatchObject({
      status: 200,
      body: { isError: true, content: [{ text: expect.stringMatching(/Invalid arguments .*product/) }] },
    });
    expect(await form({ product: 'hammer' })).toMatchObject({ body: { content: [{ text: '12 euros' }] } });
    expect(await form({ product: 'nail' })).toMatchObject({ body: { content: [{ text: '' }] } });
    const unknown = { server: 'shop', tool: 'steal', arguments: {} };
    expect(await page.post('/api/call', unknown)).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('there is no tool "steal"') },
    });
  });

  it('keeps the tools, and shows the problem, while the file cannot be loaded', async () => {
    await using box = sandbox();
    await project(box.cwd, FILES);
    await using it = await dev(['--allow', 'price', '--allow', 'stock'], bare(box), box.cwd);
    const { page } = it;
    const write = (name: string, words: string) => writeFile(join(box.cwd, name), words);
    await write('shop.js', `${SHOP}export const = 1;\n`);
    const broken = await page.state(({ problem }) => problem !== undefined, 'the problem');
    expect(broken.problem).toMatch(
      /file ".\/shop\.js" could not be loaded: .*shop\.js:5\n *export const = 1;/,
    );
    expect(broken.tools.map(({ name }) => name)).toEqual(['price']);
    await page.prompt('price product=hammer');
    expect(it.output()).toContain('shop.price answered: 12 euros');
    // One that needs a file which is not there yet, and then is.
    await write('shop.js', `import './lib/more.js';\n${WITH_STOCK}`);
    await page.state(({ problem }) => problem?.includes('more.js') === true, 'the other problem');
    await write('lib/more.js', 'export {};\n');
    const mended = await page.state(({ problem }) => problem === undefined, 'the mended file');
    expect(mended.tools.map(({ name }) => name)).toEqual(['price', 'stock']);
  });

  it('loads what the file imports of its project anew, CommonJS included, and packages not', async () => {
    await using box = sandbox();
    const counter =
      'globalThis.evaluated = (globalThis.evaluated ?? 0) + 1; export const evaluated = globalThis.evaluated;\n';
    await project(box.cwd, {
      ...FILES,
      'node_modules/counted/package.json': '{"type":"module","exports":"./index.js"}',
      'node_modules/counted/index.js': counter,
      'lib/old.cjs': "module.exports = require('./older.cjs');\n",
      'lib/older.cjs':
        "exports.word = 'first ' + require('./data.json').n + typeof require('node:fs').statSync;\n",
      'lib/data.json': '{"n":1}',
      'shop.js': `import { tool } from 'tenon';
import { evaluated } from 'counted';
import old from './lib/old.cjs';
export const word = tool('word', 'Says a word', { type: 'object' }, () => old.word + ' ' + evaluated);\n`,
    });
    await using it = await dev(['--allow', 'word'], bare(box), box.cwd);
    await it.page.prompt('word');
    await writeFile(join(box.cwd, 'lib/older.cjs'), "exports.word = 'second';\n");
    await it.page.state(({ loads }) => loads === 2, 'the second loading');
    await it.page.prompt('word');
    expect(it.output()).toMatch(/answered: first 1function 1\n[\s\S]*answered: second 1\n/);
  });

  it('shares a server object of the MCP library, which takes one connection, between chat and forms', async () => {
    await using box = sandbox();
    await project(
      box.cwd,
      {
        'package.json': '{"type":"module"}',
        'shop.js': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const instance = new McpServer({ name: 'far', version: '1' });
instance.registerTool('greet', { description: 'Greets' }, () => ({ content: [{ type: 'text', text: 'Hello from the library' }] }));
export default { type: 'sdk', name: 'far', instance };\n`,
      },
      ['@modelcontextprotocol'],
    );
    await using it = await dev(['--allow', 'greet'], bare(box), box.cwd);
    const form = () => it.page.post('/api/call', { server: 'far', tool: 'greet', arguments: {} });
    expect(await form()).toMatchObject({ body: { content: [{ text: 'Hello from the library' }] } });
    await it.page.prompt('greet');
    expect(it.output()).toContain('far.greet answered: Hello from the library');
    expect(await form()).toMatchObject({ body: { content: [{ text: 'Hello from the library' }] } });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves nothing behind after %s, in the middle of a turn',
    async (signal) => {
      await using box = sandbox();
      await project(box.cwd, {
        ...FILES,
        'shop.js': `import { tool } from 'tenon';
export const wait = tool('wait', 'Waits', { type: 'object' }, () => new Promise(() => setInterval(() => {}, 1000)));\n`,
      });
      await using it = await dev(['--allow', 'wait'], bare(box), box.cwd);
      await it.page.post('/api/prompt', { text: 'wait' });
      await waitUntil(() => it.page.frames.includes('tools/call'), { what: 'the call' });
      // The first Ctrl-C is for the turn.
      if (signal === 'SIGINT') {
        process.kill(it.pid, 'SIGINT');
        await it.page.state(({ isBusy }) => !isBusy, 'the end of the turn');
      }
      const { code } = await it.end(signal);
      expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
      await it.page.sees((line) => 'feed' in line && line.feed === 'cut', 'the last word');
    },
  );
});

describe.each(RUNTIMES)('tenon dev on the runtime "%s"', (runtime) => {
  it('calls a tool that was written during the conversation, in the same conversation (reload)', async () => {
    await using its = await agent([
      toolUse('mcp__shop__price', { product: 'hammer' }),
      text('It costs 12 euros.'),
      toolUse('mcp__shop__stock'),
      text('There are seven.'),
    ]);
    await project(its.cwd, FILES);
    const allowed = ['--allow', 'price', '--allow', 'stock'];
    await using it = await dev(['--runtime', runtime, ...allowed], its.env, its.cwd);
    expect(it.first).toMatchObject({ isReal: true });
    await it.page.prompt('What is the price?');
    await writeFile(join(its.cwd, 'shop.js'), WITH_STOCK);
    await it.page.state(({ loads }) => loads === 2, 'the second loading');
    await it.page.prompt('And how many are there?');
    expect(it.output()).toMatch(/shop\.price .*12 euros[\s\S]*\+ stock[\s\S]*shop\.stock → seven of them/);
    const last = its.api.requests.at(-1)?.body;
    expect(JSON.stringify(last?.messages)).toMatch(
      /What is the price\?.*And how many are there\?.*seven of them/,
    );
    its.api.assertDone();
    const children = descendants(it.pid);
    await it.end('SIGTERM');
    await waitUntil(() => !children.some(alive), { what: 'the end of all processes' });
  });
});

describe('tenon dev with a recording', () => {
  it('takes the answers of the model from a tape, and calls the tools as they are now', async () => {
    await using its = await agent([
      toolUse('mcp__shop__price', { product: 'hammer' }),
      text('It costs 12 euros.'),
    ]);
    await project(its.cwd, FILES);
    const run = ['run', 'What is the price?', '--tools', './shop.js', '--yes', '--runtime', 'embedded'];
    expect(await start([...run, '--record', 'run.tape'], { ...its, input: '' }).finished).toMatchObject({
      code: 0,
    });
    await using it = await dev(['--replay', 'run.tape', '--allow', 'price'], bare(its.box), its.cwd);
    expect(it.page.playground).toMatchObject({ isReal: false, model: expect.stringContaining('run.tape') });
    await it.page.prompt('What is the price?');
    expect(it.output()).toMatch(/✓ shop\.price .* → 12 euros[\s\S]*/);
    expect(it.output()).toContain('It costs 12 euros.');
    await rm(join(its.cwd, 'run.tape'));
  });
});

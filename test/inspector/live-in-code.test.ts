/** `inspect()` from code: the conversations of this process, in a page, which may answer (R57). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type CanUseTool, createSdkMcpServer, tool } from '../../src/index.js';
import { explainToolCall, inspect } from '../../src/inspector/index.js';
import { ask, BACK_ENDS, resultsOf } from '../support/back-ends.js';
import { waitUntil } from '../support/real-cli.js';
import { addressOf, FeedReader, post } from './support/feed-reader.js';

const shop = () =>
  createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, async () => 'eight')] });
const STOCK = 'mcp__shop__stock';

describe.each(BACK_ENDS)('inspect() with $name', ({ start, isCli }) => {
  it('shows conversations that begin after it, each as a run, until it is closed (R57)', async () => {
    await using agent = await start([...Array(2)].flatMap(() => [{ tool: STOCK }, 'Eight.']));
    const inspection = await inspect({ title: 'mine' });
    await using page = await FeedReader.open(inspection.url);
    const options = { mcpServers: { shop: shop() }, allowedTools: [STOCK] };
    await ask(agent.options(options));
    await page.until('the end of the run', () =>
      page.tape(1).some((line) => 'kind' in line && line.kind === 'end'),
    );
    const spans = () => page.tape(1).filter((line) => 'kind' in line && line.kind === 'span');
    if (isCli) await page.until('spans that the CLI reports', () => spans().length > 0);
    expect(page.feeds('hello')[0]).toMatchObject({ title: 'mine', control: false });
    expect(page.tape(1)[0]).toMatchObject({ tape: 1, backEnd: isCli ? 'cli' : 'embedded' });
    expect(page.text).toContain('"result":"Eight."');
    await inspection.close();
    await page.until('its end', ({ isOver }) => isOver);
    // A conversation goes on without it.
    const { messages } = await ask(agent.options({ ...options, mcpServers: { shop: shop() } }));
    expect(resultsOf(messages)).toEqual(['eight']);
    expect(page.feeds('run')).toHaveLength(1);
  });

  it('lets the page answer a permission request, and says why a tool was not called (inspector check 5)', async () => {
    await using agent = await start([{ tool: STOCK }, 'Done.']);
    await using inspection = await inspect({ control: true });
    const { canUseTool } = inspection;
    await using page = await FeedReader.open(inspection.url);
    const record = `${agent.box.cwd}/run.tape`;
    const asked = ask(
      agent.options({ mcpServers: { shop: shop() }, canUseTool: canUseTool as CanUseTool, record }),
    );
    await page.until('the question', ({ feeds }) => feeds('question').length === 1);
    const [line] = page.feeds('question');
    expect(line?.question).toMatchObject({ tool: STOCK, input: {} });
    const body = { id: line?.question.id, answer: 'no' };
    expect((await post(addressOf(inspection.url), '/api/answer', body)).status).toBe(200);
    expect((await post(addressOf(inspection.url), '/api/answer', body)).status).toBe(409);
    const { messages } = await asked;
    expect(resultsOf(messages)[0]).toContain('did not allow');
    await page.until('the answer', ({ feeds }) => feeds('answered').length === 1);
    expect(page.feeds('answered')[0]).toMatchObject({ by: 'page', answer: 'denied' });
    expect((await explainToolCall(record, 'stock')).broken).toMatchObject({ step: 'permitted' });
  });
});

describe('the canUseTool of an inspection', () => {
  const context = (requestId: string, signal = new AbortController().signal) => ({
    requestId,
    signal,
    toolUseID: 't',
  });

  it('asks a callback at the same time; the first answer counts, and the other is told (inspector check 5)', async () => {
    const signals: AbortSignal[] = [];
    let decide: (result: Awaited<ReturnType<CanUseTool>>) => void = () => {};
    await using inspection = await inspect({
      control: true,
      canUseTool: (_, __, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => {
          decide = resolve;
        });
      },
    });
    const canUseTool = inspection.canUseTool as CanUseTool;
    await using page = await FeedReader.open(inspection.url);
    const first = canUseTool('Bash', {}, context('a'));
    await page.until('the question', ({ feeds }) => feeds('question').length === 1);
    await post(addressOf(inspection.url), '/api/answer', { id: 'a', answer: 'yes' });
    expect(await first).toEqual({ behavior: 'allow' });
    expect(signals[0]?.aborted).toBe(true);

    const second = canUseTool('Bash', {}, context('b'));
    await page.until('the second question', ({ feeds }) => feeds('question').length === 2);
    decide({ behavior: 'deny', message: 'No.' });
    expect(await second).toEqual({ behavior: 'deny', message: 'No.' });
    await page.until('both answers', ({ feeds }) => feeds('answered').length === 2);
    expect(page.feeds('answered').map(({ by, answer }) => [by, answer])).toEqual([
      ['page', 'allowed'],
      ['terminal', 'denied'],
    ]);
  });

  it('remembers always and never, gives a callback its error, and withdraws what nobody waits for', async () => {
    const failing = vi.fn(async () => {
      throw new Error('The terminal is gone.');
    });
    await using inspection = await inspect({ control: true });
    await using other = await inspect({ control: true, canUseTool: failing });
    const canUseTool = inspection.canUseTool as CanUseTool;
    const answer = async (id: string, given: string): Promise<void> => {
      const send = () => post(addressOf(inspection.url), '/api/answer', { id, answer: given });
      await waitUntil(async () => (await send()).status === 200, { what: 'an answer' });
    };
    for (const [name, given, behavior] of [
      ['Read', 'always', 'allow'],
      ['Bash', 'never', 'deny'],
    ] as const) {
      const asked = canUseTool(name, {}, context(name));
      await answer(name, given);
      expect(await asked).toMatchObject({ behavior });
      expect(await canUseTool(name, {}, context(`${name} again`))).toMatchObject({ behavior });
    }
    const failed = (other.canUseTool as CanUseTool)('Bash', {}, context('c'));
    await expect(failed).rejects.toThrow('The terminal is gone.');
    const withdrawn = new AbortController();
    const open = canUseTool('Write', {}, context('d', withdrawn.signal));
    withdrawn.abort();
    expect(await open).toMatchObject({ behavior: 'deny' });
  });

  it('denies what is open when it is closed, and what comes after that', async () => {
    const inspection = await inspect({ control: true });
    const canUseTool = inspection.canUseTool as CanUseTool;
    const open = canUseTool('Bash', {}, context('a'));
    await inspection.close();
    expect(await open).toMatchObject({ behavior: 'deny', message: expect.stringContaining('closed') });
    expect(await canUseTool('Bash', {}, context('b'))).toMatchObject({ behavior: 'deny' });
  });

  it('needs control', async () => {
    await using inspection = await inspect();
    expect(inspection.canUseTool).toBeUndefined();
    await expect(inspect({ canUseTool: async () => null })).rejects.toThrow(/`control: true`/);
  });
});

it('a program that inspects itself ends as it would without, and is not told about variables', async () => {
  const entry = new URL('../../dist/inspector/index.js', import.meta.url).href;
  const program = `import { inspect } from '${entry}';
    console.log((await inspect()).url);
    process.stdin.once('data', () => process.stdin.destroy());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const exited = once(child, 'exit');
  try {
    let stderr = '';
    child.stderr.on('data', (part) => {
      stderr += part;
    });
    const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
    await using page = await FeedReader.open(String(url).trim());
    await page.caughtUp();
    child.stdin.write('go\n');
    await waitUntil(() => child.exitCode !== null, { what: 'the end of the program, while a page is open' });
    expect([child.exitCode, stderr]).toEqual([0, '']);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

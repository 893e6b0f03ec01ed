/** `explainToolCall()` takes a tape, a run or a query (R57). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, createSession, type Options, query, tool } from '../../../src/index.js';
import { explainToolCall } from '../../../src/observe/explain-tool-call.js';
import { runOfTape } from '../../../src/observe/run/run-of-tape.js';
import { whyText } from '../../../src/observe/run/text.js';
import type { ToolFunnel } from '../../../src/observe/run/views.js';
import { readTape, toolUse } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';

const STOCK = 'mcp__shop__stock';
const shop = (alwaysLoad = false) =>
  createSdkMcpServer({
    name: 'shop',
    tools: [
      tool('stock', 'How many.', {}, async () => 'eight', { alwaysLoad }),
      tool('price', 'How much.', {}, async () => 'ten'),
    ],
  });

const stateOf = ({ steps }: ToolFunnel, name: string) => steps.find((step) => step.name === name)?.state;

describe.each(BACK_ENDS)('on $name', ({ start, isCli }) => {
  it('a file, its tape, its run and the query that wrote it are answered alike (R57)', async () => {
    await using agent = await start([toolUse(STOCK), 'No.']);
    const record = join(agent.box.cwd, 'run.tape');
    const running = query({
      prompt: 'Go.',
      options: agent.options({ record, mcpServers: { shop: shop() } }),
    });
    for await (const _ of running);
    const ofFile = await explainToolCall(record, 'stock');
    expect(ofFile.broken).toMatchObject({ step: 'permitted' });
    const tape = readTape(record);
    expect(await explainToolCall(tape, 'stock')).toEqual(ofFile);
    expect(await explainToolCall(runOfTape(tape), 'stock')).toEqual(ofFile);
    expect(await explainToolCall(running, 'stock')).toEqual(ofFile);
  });

  it('a recorded query that still runs tells what it waits for (R57)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const record = join(agent.box.cwd, 'run.tape');
    const funnels: ToolFunnel[] = [];
    const options: Options = {
      record,
      mcpServers: { shop: shop() },
      canUseTool: async (_name, input) => {
        funnels.push(await explainToolCall(running, 'stock'));
        return { behavior: 'allow', updatedInput: input };
      },
    };
    const running = query({ prompt: 'Go.', options: agent.options(options) });
    for await (const _ of running);
    expect(funnels).toHaveLength(1);
    const [funnel] = funnels as [ToolFunnel];
    expect(funnel.broken).toBeUndefined();
    expect(stateOf(funnel, 'requested')).toBe('done');
    expect(stateOf(funnel, 'permitted')).toBe('waiting');
    expect(whyText(funnel, 100)[0]).toBe(`${STOCK}: so far nothing is wrong.`);
    expect((await explainToolCall(running, 'stock')).steps.every(({ state }) => state === 'done')).toBe(true);
  });

  it('a query that nobody records is asked, and says what would tell more (R57)', async () => {
    await using agent = await start(['No.']);
    // The embedded runtime does not say which tools are in the prompt; the CLI does.
    const options = { mcpServers: { shop: shop(true) }, env: { ENABLE_TOOL_SEARCH: 'true' } };
    await using session = createSession(agent.options(options));
    await session.ask('Go.');
    const found = ['stock', 'price', 'stok'].map((name) => explainToolCall(session.query, name));
    const [stock, price, stok] = (await Promise.all(found)) as [ToolFunnel, ToolFunnel, ToolFunnel];
    expect(stock.tool).toBe(STOCK);
    expect(stock.broken).toBeUndefined();
    expect(stateOf(stock, 'listed')).toBe('done');
    expect(stateOf(stock, 'in the prompt')).toBe(isCli ? 'done' : 'unknown');
    expect(stateOf(stock, 'requested')).toBe('unknown');
    expect(stock.steps.at(-1)?.detail).toMatch(/Record it: .*record: 'run\.tape'/);
    expect(price.broken?.step).toBe(isCli ? 'in the prompt' : undefined);
    expect(stok.broken).toMatchObject({ step: 'listed', remedy: 'Did you mean mcp__shop__stock?' });
  });
});

it('what is no source, no tape and no name is refused in one sentence (R57)', async () => {
  await expect(explainToolCall({} as never, 'stock')).rejects.toThrow(
    'the first argument must be the path of a tape, what readTape() has read, or a query',
  );
  await expect(explainToolCall('no-such.tape', 'stock')).rejects.toThrow(
    /no-such\.tape: there is no such file/,
  );
  await expect(explainToolCall('run.tape', '')).rejects.toThrow('`name` must be the name of a tool');
});

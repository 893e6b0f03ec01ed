/** What differs between two runs, the cause first (R57; inspector check 15). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, tool } from '../../../src/index.js';
import { compareRuns } from '../../../src/observe/run/compare.js';
import type { Run } from '../../../src/observe/run/run.js';
import { runOfTape } from '../../../src/observe/run/run-of-tape.js';
import { readTape, toolUse } from '../../../src/testing/index.js';
import { type Answer, ask, BACK_ENDS, type BackEnd } from '../../support/back-ends.js';
import { HandTape } from './hand-tape.js';

const STOCK = 'mcp__shop__stock';

interface Given {
  readonly description?: string;
  readonly script?: readonly Answer[];
  readonly options?: Options;
  readonly prompt?: string;
}

async function recorded({ start }: BackEnd, given: Given = {}): Promise<Run> {
  const { description = 'How many.', script = [toolUse(STOCK), 'Eight.'], options, prompt = 'Go.' } = given;
  await using agent = await start(script);
  const record = join(agent.box.cwd, 'run.tape');
  const shop = createSdkMcpServer({
    name: 'shop',
    tools: [tool('stock', description, {}, async () => 'eight')],
  });
  await ask(agent.options({ record, mcpServers: { shop }, allowedTools: [STOCK], ...options }), prompt);
  return runOfTape(readTape(record));
}

it('a place, a session or a bill in the system prompt is no difference; other words are (R57)', () => {
  const ran = (cwd: string, bill: string, words: string) => {
    const system = [bill, `You are in ${cwd}. ${words}`].map((text) => ({ type: 'text', text }));
    const exchange = {
      kind: 'exchange' as const,
      t: 30,
      began: 15,
      id: 1,
      messageId: 'msg_1',
      request: { system },
    };
    return new HandTape().prompt(0).init(10, { cwd }).text(20, 'msg_1', 'x').line(exchange).end(40).run();
  };
  const left = ran('/one', 'x-anthropic-billing-header: a', 'Be kind.');
  expect(compareRuns(left, ran('/two', 'x-anthropic-billing-header: b', 'Be kind.')).differences).toEqual([]);
  expect(compareRuns(left, ran('/two', 'x-anthropic-billing-header: b', 'Be brief.')).differences).toEqual([
    { where: 'system prompt 1', left: 'You are in …. Be kind.', right: 'You are in …. Be brief.' },
  ]);
});

describe.each(BACK_ENDS)('on $name', (backEnd) => {
  it('two runs of the same program do not differ: ids, times and places are no differences (R57)', async () => {
    const [left, right] = [await recorded(backEnd), await recorded(backEnd)];
    expect(compareRuns(left, right).differences).toEqual([]);
  });

  it('another description of a tool comes first, before what the model made of it (inspector check 15)', async () => {
    const left = await recorded(backEnd);
    const right = await recorded(backEnd, { description: 'How many there are.', script: ['I do not know.'] });
    const { differences, figures } = compareRuns(left, right);
    expect(differences[0]).toEqual({
      where: `tool ${STOCK}: description`,
      left: 'How many.',
      right: 'How many there are.',
    });
    expect(differences.slice(1).map(({ where }) => where)).toEqual(['call 1', 'result 1', 'answer 1']);
    expect(figures.find(({ name }) => name === 'requests')).toEqual({
      name: 'requests',
      left: '2',
      right: '1',
    });
    expect(figures.find(({ name }) => name === 'calls')).toEqual({ name: 'calls', left: '1', right: '0' });
  });

  it('options come before prompts, and prompts before calls (R57)', async () => {
    const left = await recorded(backEnd);
    const right = await recorded(backEnd, {
      options: { maxTurns: 9 },
      prompt: 'Now.',
      script: [toolUse(STOCK, { product: 'saw' }), 'Eight.'],
    });
    expect(compareRuns(left, right).differences.map(({ where }) => where)).toEqual([
      'options.maxTurns',
      'prompt 1',
      'call 1',
    ]);
  });
});

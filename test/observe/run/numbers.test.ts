/** Numbers of a run: the same everywhere, and none that nobody knows (R57; inspector check 14). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closingLine } from '../../../src/commands/run/closing-line.js';
import { createSdkMcpServer, type SDKResultMessage, tool } from '../../../src/index.js';
import { contextOf, requestsOf } from '../../../src/observe/run/context.js';
import { costOf } from '../../../src/observe/run/cost.js';
import { messagesOf } from '../../../src/observe/run/messages.js';
import type { Run } from '../../../src/observe/run/run.js';
import { runOfTape } from '../../../src/observe/run/run-of-tape.js';
import { summaryText } from '../../../src/observe/run/text.js';
import { totalsOf } from '../../../src/observe/run/totals.js';
import { wireRowsOf } from '../../../src/observe/run/wire.js';
import { readTape, toolUse } from '../../../src/testing/index.js';
import { ask, BACK_ENDS, type BackEnd } from '../../support/back-ends.js';
import { HandTape } from './hand-tape.js';

const STOCK = 'mcp__shop__stock';

async function recorded({ start }: BackEnd): Promise<{ run: Run; result: SDKResultMessage; turns: number }> {
  await using agent = await start([toolUse(STOCK, { product: 'hammer' }), 'Eight.']);
  const record = join(agent.box.cwd, 'run.tape');
  const stock = tool('stock', 'How many.', {}, async () => 'eight');
  const shop = createSdkMcpServer({ name: 'shop', tools: [stock] });
  const { messages } = await ask(agent.options({ record, mcpServers: { shop }, allowedTools: [STOCK] }));
  const result = messages.find((message) => message.type === 'result') as SDKResultMessage;
  const answers = messages.flatMap((message) => (message.type === 'assistant' ? [message.message.id] : []));
  return { run: runOfTape(readTape(record)), result, turns: new Set(answers).size };
}

describe.each(BACK_ENDS)('of a conversation on $name', (backEnd) => {
  it('are those that `tenon run` prints in its last line (R57; inspector check 14)', async () => {
    const { run, result, turns } = await recorded(backEnd);
    const totals = totalsOf(run);
    const { input, output, cacheRead, cacheWrite } = totals.usage;
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    };
    const shown = {
      usage,
      duration_ms: totals.durationMs,
      total_cost_usd: totals.costUsd ?? 0,
    } as SDKResultMessage;
    expect(closingLine(shown, totals.turns)).toBe(closingLine(result, turns));
    expect(totals).toMatchObject({ turns: 2, requests: 2, calls: 1, frames: run.frames.length });
    expect(summaryText(run, 100)[1]).toMatch(
      /^[\d.]+ m?s · 2 requests · 1 call · 20 tokens in, 40 out · (cost unknown|\$0\.0009)$/,
    );
  });

  it('leave a price that is not known undefined, and never zero (R57)', async () => {
    const { run } = await recorded(backEnd);
    const cost = costOf(run);
    const known = backEnd.isCli ? 0.00088 : undefined;
    expect(cost.reportedUsd).toBe(known);
    expect(cost.models).toMatchObject([{ usage: { input: 20, output: 40 }, costUsd: known }]);
    expect(cost.total).toEqual({ input: 20, output: 40, cacheRead: 0, cacheWrite: 0 });
    // Results tell what a model cost, not what each of its requests did.
    expect(cost.requests.map(({ costUsd }) => costUsd)).toEqual([undefined, undefined]);
    expect(cost.tools).toEqual([
      {
        tool: STOCK,
        calls: 1,
        resultChars: '{"product":"hammer"}'.length + 'eight'.length,
        ms: expect.any(Number),
      },
    ]);
    expect(totalsOf(run).costUsd).toBe(known);
  });

  it('and its messages and frames are all there, calls with their results (R57)', async () => {
    const { run } = await recorded(backEnd);
    const blocks = messagesOf(run).flatMap((message) => message.blocks);
    expect(blocks.filter(({ kind }) => kind.startsWith('tool'))).toMatchObject([
      { kind: 'tool_use', tool: STOCK, toolUseId: 'toolu_0001', value: { product: 'hammer' } },
      { kind: 'tool_result', tool: STOCK, toolUseId: 'toolu_0001', text: 'eight', isError: false },
    ]);
    const rows = wireRowsOf(run);
    expect(rows).toHaveLength(run.lines.length);
    const call = rows.find(({ name }) => name === 'mcp_message tools/call');
    expect(call).toMatchObject({ direction: '<', tool: STOCK, state: 'ok', text: '{"product":"hammer"}' });
    expect(rows[call?.pair ?? -1]).toMatchObject({
      type: 'control_response',
      direction: '>',
      pair: call?.index,
    });
    expect(rows.every(({ index }, place) => index === place)).toBe(true);
  });
});

it('a single request of a model costs what the result says of that model (R57)', () => {
  const modelUsage = { m: { inputTokens: 10, outputTokens: 2, costUSD: 0.5, costBasis: 'list' } };
  const tape = new HandTape().prompt(0).text(10, 'msg_1', 'x').end(20, { modelUsage, total_cost_usd: 0.5 });
  expect(costOf(tape.run()).requests).toMatchObject([{ model: 'm', costUsd: 0.5 }]);
});

it('the wire view pairs by direction: both sides number their requests (R57)', () => {
  const initialize = { type: 'control_request', request_id: 'tenon_1', request: { subtype: 'initialize' } };
  const success = (request_id: string) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id },
  });
  const tape = new HandTape()
    .sent(0, initialize)
    .asks(1, 'tenon_1', { subtype: 'hook_callback', input: { hook_event_name: 'Stop' } })
    .got(2, success('tenon_1'))
    .sent(3, success('tenon_1'))
    .asks(4, 'tenon_2', { subtype: 'can_use_tool', tool_name: 'stock' })
    .got(5, { type: 'control_cancel_request', request_id: 'tenon_2' });
  const run = tape.run(false);
  expect(wireRowsOf(run).map(({ pair, state }) => [pair, state])).toEqual([
    [2, 'ok'],
    [3, 'ok'],
    [0, undefined],
    [1, undefined],
    [5, 'cancelled'],
    [4, undefined],
  ]);
});

describe('what the model saw', () => {
  const tool1 = { name: 'stock', description: 'How many.', input_schema: { type: 'object' } };
  const hello = {
    role: 'user',
    content: [{ type: 'text', text: 'Go.', cache_control: { type: 'ephemeral' } }],
  };
  const plainHello = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
  const more = { role: 'assistant', content: [{ type: 'text', text: 'Wait.' }] };
  const first = {
    model: 'm',
    system: [{ type: 'text', text: 'Be kind.' }],
    tools: [tool1],
    messages: [hello],
  };
  const second = {
    model: 'm',
    system: 'Be brief.',
    tools: [
      { ...tool1, description: 'All of them.' },
      { name: 'price', description: '', input_schema: {} },
    ],
    messages: [plainHello, more],
  };

  it.each(['embedded', 'cli'] as const)(
    'is on the tape of "%s", with what is new in each request (R57)',
    (backEnd) => {
      const tape = new HandTape({ backEnd }).prompt(0).init(1);
      for (const [id, request] of [first, second].entries()) {
        const t = 10 + id * 10;
        const messageId = `msg_${id}`;
        if (backEnd === 'embedded') {
          tape.line({ kind: 'request', t, id, request }).text(t + 1, messageId, 'x');
          tape.line({
            kind: 'answer',
            t: t + 2,
            id,
            events: [{ type: 'message_start', message: { id: messageId } }],
          });
        } else {
          tape
            .text(t + 1, messageId, 'x')
            .line({ kind: 'exchange', t: t + 2, began: t, id, messageId, request });
        }
      }
      const run = tape.end(50).run();
      expect(requestsOf(run)).toMatchObject([
        { index: 0, start: 10, hasContext: true },
        { index: 1, start: 20, hasContext: true },
      ]);
      expect(contextOf(run, 0)).toMatchObject({
        system: ['Be kind.'],
        tools: [{ name: 'stock', description: 'How many.', schema: { type: 'object' } }],
        messages: [{ role: 'user', blocks: [{ kind: 'text', text: 'Go.' }], isNew: true }],
        changes: [],
      });
      const context = contextOf(run, 1);
      expect(context?.messages.map(({ isNew }) => isNew)).toEqual([false, true]);
      expect(context?.changes).toEqual([
        'system[0] changed',
        'tools: stock changed',
        'tools: + price',
        'messages: 1 new',
      ]);
      expect(contextOf(run, 2)).toBeUndefined();
    },
  );

  it('is not claimed where the tape does not have it (R57)', () => {
    const run = new HandTape().prompt(0).text(10, 'msg_1', 'x').end(20).run();
    expect(requestsOf(run)).toMatchObject([{ hasContext: false }]);
    expect(contextOf(run, 0)).toBeUndefined();
  });
});

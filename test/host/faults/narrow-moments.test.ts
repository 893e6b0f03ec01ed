/** Moments that are too short to be met by chance, made long (R60, R63). */
import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AgentRuntime } from '../../../src/options/agent-runtime.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../../src/testing/index.js';
import { hosted, isDone, REF, shop, until } from '../support/host.js';

/** Agents that do not end before this has happened. */
function endingAfter(runtime: AgentRuntime, before: () => Promise<void>): AgentRuntime {
  return {
    open: (start) => {
      const transport = runtime.open(start);
      const { stop } = transport;
      transport.stop = async (graceMs) => {
        await before();
        await stop.call(transport, graceMs);
      };
      return transport;
    },
    withJournal: (journal) => endingAfter(runtime.withJournal?.(journal) ?? runtime, before),
  };
}

describe('an answer', () => {
  it('that comes while the turn is being put away is not lost: it wakes the conversation (R63)', async () => {
    const { server, effects } = shop();
    const model = scriptedModel([toolUse('mcp__shop__pay', { amount: 5 }), text('It is paid.')]);
    const outcomes: string[] = [];
    const runtime = endingAfter(embedded({ model }), async () => {
      const [approval] = await host.pendingApprovals();
      if (approval === undefined) return;
      outcomes.push(await host.answer(approval.id, { behavior: 'allow' }));
      // The run hears of it while its agent still ends.
      for (let round = 0; round < 10; round += 1) await soon();
    });
    const { host } = hosted([], { server }, {}, { runtime });
    await using _ = host;
    await host.send(REF, 'Pay 5.');
    await until(host, REF, isDone);
    expect(outcomes).toEqual(['taken']);
    expect(effects).toEqual(['paid 5']);
    model.assertDone();
  });
});

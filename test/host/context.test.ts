/** A turn is nobody's request: what senders have in their `AsyncLocalStorage` is not seen by other people's conversations (R60). */
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { type HostStorage, memoryStorage } from '../../src/host/index.js';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { isApproval, isDone, until } from './support/host.js';
import { hasPostgres, hostOf, onPostgres, speaking } from './support/readers.js';

const user = new AsyncLocalStorage<string>();

async function seenBy(storage: HostStorage): Promise<unknown[]> {
  const seen: unknown[] = [];
  const look = (where: string): void => void seen.push([where, user.getStore()]);
  const who = tool('who', 'Who is asking', {}, async () => {
    look('the tool');
    return 'somebody';
  });
  const host = user.run('the program', () =>
    hostOf(
      speaking(async function* () {}),
      {
        storage,
        approvals: { holdMs: 60_000 },
        options: () => {
          look('options()');
          const steps = [1, 2].flatMap(() => [toolUse('mcp__s__who'), text('Done.')]);
          return {
            runtime: embedded({ model: scriptedModel(steps) }),
            mcpServers: { s: createSdkMcpServer({ name: 's', tools: [who], alwaysLoad: true }) },
            cwd: '/work',
          };
        },
      },
    ),
  );
  await using _ = host;
  const asks = ['ann', 'bob', 'cec'].map((name) =>
    user.run(name, async () => {
      const ref = { tenant: name, session: 's' };
      for (const prompt of ['First.', 'Second.']) {
        const { event } = await host.send(ref, prompt);
        const events = await until(host, ref, isApproval, event);
        const message = events.at(-1)?.message as { approval: { id: string } };
        await user.run(`whoever helps ${name}`, () =>
          host.answer(message.approval.id, { behavior: 'allow' }),
        );
        await until(host, ref, isDone, event);
      }
      expect(user.getStore()).toBe(name);
    }),
  );
  await Promise.all(asks);
  return seen;
}

const EXPECTED = [
  ...Array(3).fill(['options()', 'the program']),
  ...Array(6).fill(['the tool', 'the program']),
];

describe('what runs in a turn', () => {
  it('runs in the context of who has made the host, whoever has asked, in memory', async () => {
    expect((await seenBy(memoryStorage())).sort()).toEqual(EXPECTED);
  });

  describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
    const make = onPostgres();
    it('runs in the context of who has made the host, too', async () => {
      expect((await seenBy(make())).sort()).toEqual(EXPECTED);
    });
  });
});

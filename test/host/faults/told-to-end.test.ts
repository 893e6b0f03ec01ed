/** A program that is told to end with SIGTERM, and the one that goes on (R60; scale 15). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import { heard } from './support/program.js';

const refOf = (session: string): SessionRef => ({ tenant: 'acme', session });

describe.skipIf(binaries === undefined)('a program that gets SIGTERM', () => {
  const at = ground();

  it('lets turns end that run, leaves the rest to the next one, and is gone', async () => {
    const sessions = Array.from({ length: 40 }, (_, index) => `u${index}`);
    const first = await at.start({ pauseMs: 100, host: { limits: { running: 8 } } });
    for (const session of sessions) {
      await first.call('send', refOf(session), `${session}/1: plain`);
      await first.call('send', refOf(session), `${session}/2: idempotent`);
    }
    await expect.poll(() => at.effects().length).toBeGreaterThan(0);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(first.said.filter(({ said }) => said === 'problem')).toEqual([]);
    expect((await at.storage.sessions.counts()).running).toBe(0);
    const left = (await at.storage.sessions.counts()).queued;
    expect(left).toBeGreaterThan(0);

    await at.start({ version: 'v2' });
    for (const session of sessions) {
      const turns = await at.settled(refOf(session));
      expect(turns.map(({ prompt, outcome }) => `${prompt} ${outcome}`)).toEqual([
        `${session}/1: plain answered`,
        `${session}/2: idempotent answered`,
      ]);
      // Nobody was cut off.
      expect((await at.events(refOf(session))).filter(isResumed)).toEqual([]);
    }
    const labels = at.effects().map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.length).toBe(2 * sessions.length);
  });

  it('cuts off turns that take too long, and the next one goes on with them at once', async () => {
    const [plain, repeatable, asking, saying] = ['plain', 'repeatable', 'asking', 'saying'].map(refOf) as [
      SessionRef,
      SessionRef,
      SessionRef,
      SessionRef,
    ];
    const host = { lease: { ttlMs: 600_000 }, approvals: { holdMs: 600_000 } };
    const first = await at.start({ drainMs: 1, traced: true, host });
    await first.call('send', saying, 'saying/1: stream ponder');
    await heard(first, ({ moment }) => moment === 'in the middle of streamed text');
    await first.call('send', plain, 'plain/1: endless plain');
    await first.call('send', repeatable, 'repeatable/1: endless-idempotent plain');
    await first.call('send', asking, 'asking/1: guarded plain');
    await expect.poll(() => at.effects().length).toBe(2);
    await expect.poll(async () => (await at.storage.approvals.list()).length).toBe(1);
    await first.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(first.said.filter(({ said }) => said === 'problem')).toEqual([]);

    const next = await at.start({ version: 'v2', host });
    const [approval] = await at.storage.approvals.list();
    expect(await next.call('answer', approval?.id ?? '', { behavior: 'allow' })).toBe('taken');
    const answer = async (ref: SessionRef) => (await at.settled(ref)).map(({ words }) => words.at(-1));
    expect(await answer(plain)).toEqual([
      expect.stringMatching(/turn 1: The outcome .* unknown.* \| plain by v2$/),
    ]);
    expect(await answer(repeatable)).toEqual([
      'assistant: repeatable/1 is turn 1: endless-idempotent by v2 | plain by v2',
    ]);
    expect(await answer(asking)).toEqual(['assistant: asking/1 is turn 1: guarded by v2 | plain by v2']);
    // Nobody has interrupted it.
    expect((await at.settled(saying)).map(({ words }) => words)).toEqual([
      ['assistant: saying/1 is turn 1: '],
    ]);
    const keys = at.effects().filter(({ tool }) => tool === 'endless-idempotent');
    expect(keys.length).toBe(2);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(at.effects().filter(({ tool }) => tool === 'endless').length).toBe(1);
  });
});

function isResumed({ message }: { message: object }): boolean {
  return 'subtype' in message && message.subtype === 'resumed';
}

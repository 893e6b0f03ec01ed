/** A conversation that ends its program each time (R60; scale 9). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';

const BAD: SessionRef = { tenant: 'acme', session: 'bad' };
const MAX_CRASHES = 3;

describe.skipIf(binaries === undefined)('a conversation that ends its program each time', () => {
  const at = ground();

  it('is parked after some tries with its reason, while others go on; once released it goes on, too', async () => {
    const host = { lease: { ttlMs: 500, maxCrashes: MAX_CRASHES } };
    // Turns of others take longer than it needs to end the program, however often it is started.
    const pauseMs = 30;
    let program = await at.start({ host, pauseMs });
    const good = ['u0', 'u1', 'u2'].map((session): SessionRef => ({ tenant: 'acme', session }));
    await program.call('send', BAD, 'bad/1: plain crash stream');
    let starts = 0;
    const isParked = async (): Promise<boolean> => (await at.storage.sessions.get(BAD))?.state === 'parked';
    for (; !(await isParked()); starts += 1) {
      if (starts > 0) program = await at.start({ host, pauseMs });
      for (const ref of good) {
        const prompt = `${ref.session}/${starts + 1}:${' idempotent'.repeat(12)}`;
        // Not through the program, which may be gone already.
        await at.storage.inbox.send(ref, { kind: 'prompt', body: { prompt } });
      }
      await expect.poll(async () => program.process.signalCode ?? (await isParked())).toBeTruthy();
    }
    expect(starts).toBe(MAX_CRASHES + 1);
    const parked = await at.storage.sessions.get(BAD);
    expect(parked).toMatchObject({ state: 'parked', reason: expect.stringContaining('3 times in a row') });
    expect((await at.events(BAD)).at(-1)?.message).toEqual({
      type: 'host',
      subtype: 'parked',
      reason: parked?.reason,
    });
    for (const ref of good) {
      const turns = await at.settled(ref);
      expect(turns.map(({ outcome }) => outcome)).toEqual(Array(starts).fill('answered'));
    }
    // Nothing happens to it by itself.
    await program.call('send', BAD, 'bad/2: plain');
    expect(await isParked()).toBe(true);
    await program.kill();

    program = await at.start({ host, version: 'harmless' });
    expect(await program.call('unpark', BAD)).toBe(true);
    const turns = await at.settled(BAD);
    expect(turns.map(({ prompt, outcome }) => `${prompt} ${outcome}`)).toEqual([
      'bad/1: plain crash stream answered',
      'bad/2: plain answered',
    ]);
    expect(turns[0]?.words.at(-1)).toBe('assistant: bad/1 is turn 1: plain by v1 | crash by harmless');
    expect(await program.call('unpark', BAD)).toBe(false);
    const crashes = at.effects().filter(({ tool }) => tool === 'crash');
    expect(crashes.length).toBe(MAX_CRASHES + 1);
    expect(new Set(crashes.map(({ key }) => key)).size).toBe(1);
    expect(at.effects().filter(({ tool, label }) => tool === 'plain' && label === 'bad/1').length).toBe(1);
  });
});

/** How much runs and waits at once, and whose turn it is (scale 12 and 13). */
import { describe, expect, it, vi } from 'vitest';
import { type Host, type HostStorage, memoryStorage, QueueFullError } from '../../src/host/index.js';
import { clock, useClock } from '../../src/protocol/base/clock.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { isDone, shared, until } from './support/host.js';
import { hasPostgres, hostOf, onPostgres, speaking } from './support/readers.js';

interface Turn {
  readonly tenant: string;
  end(): void;
}

/** A model that answers when it is told to, and knows what runs at the same time. A prompt is the name of its tenant. */
class HeldModel {
  readonly begun: string[] = [];
  readonly open: Turn[] = [];
  /** The most that ran at once: in all, and of each tenant. */
  most = 0;
  readonly mostOf: Record<string, number> = {};
  #isHolding = true;

  readonly model = speaking((tenant, signal) => this.#speak(tenant, signal));

  async *#speak(tenant: string, signal: AbortSignal): AsyncGenerator<string> {
    const turn: Turn = { tenant, end: () => {} };
    this.begun.push(tenant);
    this.open.push(turn);
    this.most = Math.max(this.most, this.open.length);
    const ofTenant = this.open.filter((each) => each.tenant === tenant).length;
    this.mostOf[tenant] = Math.max(this.mostOf[tenant] ?? 0, ofTenant);
    try {
      await new Promise<void>((resolve) => {
        turn.end = resolve;
        signal.addEventListener('abort', () => resolve());
        if (!this.#isHolding) setImmediate(resolve);
      });
    } finally {
      this.open.splice(this.open.indexOf(turn), 1);
    }
    yield 'ok';
  }

  /** From here on turns end by themselves. */
  let(): void {
    this.#isHolding = false;
    for (const turn of [...this.open]) turn.end();
  }
}

const refOf = (tenant: string, index: number) => ({ tenant, session: `${tenant} ${index}` });

/** Conversations of a tenant with a prompt each. */
async function queue(host: Host, tenant: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await host.send(refOf(tenant, index), tenant);
}

async function untilDone(host: Host, counts: Readonly<Record<string, number>>): Promise<void> {
  for (const [tenant, count] of Object.entries(counts)) {
    const all = Array.from({ length: count }, (_, index) => until(host, refOf(tenant, index), isDone));
    await Promise.all(all);
  }
}

/** Everything at once: what was taken, and why the rest was not. */
async function sendAll(
  sends: readonly (() => Promise<unknown>)[],
): Promise<{ taken: number; errors: unknown[] }> {
  const settled = await Promise.allSettled(sends.map((send) => send()));
  const errors = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  return { taken: settled.length - errors.length, errors };
}

function behave(make: () => HostStorage): void {
  it('run no more conversations at once than limits.running, and never fewer while others wait', async () => {
    const talk = new HeldModel();
    await using host = hostOf(talk.model, { storage: make(), limits: { running: 3 } });
    await queue(host, 'a', 6);
    await queue(host, 'b', 6);
    await vi.waitFor(() => expect(talk.open.length).toBe(3));
    expect(await host.stats()).toMatchObject({ running: 3, sessions: { running: 3, queued: 9 } });
    for (let ended = 1; ended <= 4; ended += 1) {
      talk.open[0]?.end();
      await vi.waitFor(() => expect([talk.begun.length, talk.open.length]).toEqual([3 + ended, 3]));
    }
    talk.let();
    await untilDone(host, { a: 6, b: 6 });
    expect(talk.most).toBe(3);
    expect(await host.stats()).toMatchObject({ running: 0, sessions: { idle: 12 }, turns: { answered: 12 } });
  });

  it('of one tenant run no more at once than limits.perTenant, in all programs', async () => {
    const storage = make();
    const [one, other] = [new HeldModel(), new HeldModel()];
    const limits = { running: 10, perTenant: 3 };
    const first = hostOf(one.model, { storage: shared(storage), limits });
    const second = hostOf(other.model, { storage: shared(storage), limits });
    await using _ = first;
    await using __ = second;
    const open = (tenant: string): number =>
      [...one.open, ...other.open].filter((turn) => turn.tenant === tenant).length;
    await queue(first, 'a', 8);
    await queue(second, 'b', 2);
    await vi.waitFor(() => expect([open('a'), open('b')]).toEqual([3, 2]));
    for (let ended = 1; ended <= 3; ended += 1) {
      [...one.open, ...other.open].find(({ tenant }) => tenant === 'a')?.end();
      await vi.waitFor(() => {
        const begun = [...one.begun, ...other.begun].filter((tenant) => tenant === 'a').length;
        expect([begun, open('a')]).toEqual([3 + ended, 3]);
      });
    }
    one.let();
    other.let();
    await untilDone(first, { a: 8, b: 2 });
    expect(Math.max(one.mostOf.a ?? 0, other.mostOf.a ?? 0)).toBeLessThanOrEqual(3);
    await storage.close();
  });

  it('give a tenant with one conversation the next place, before all that others have queued (scale 13)', async () => {
    const talk = new HeldModel();
    await using host = hostOf(talk.model, { storage: make(), limits: { running: 2 } });
    await queue(host, 'a', 40);
    await queue(host, 'b', 40);
    await vi.waitFor(() => expect(talk.open.length).toBe(2));
    // Both have had places, and all of theirs have waited longer than the one that comes now.
    for (let ended = 1; ended <= 4; ended += 1) {
      talk.open[0]?.end();
      await vi.waitFor(() => expect(talk.begun.length).toBe(2 + ended));
    }
    expect(talk.open.map(({ tenant }) => tenant).sort()).toEqual(['a', 'b']);
    await host.send(refOf('c', 0), 'c');
    talk.open[0]?.end();
    await vi.waitFor(() => expect(talk.begun.length).toBe(7));
    expect(talk.begun[6]).toBe('c');
    talk.let();
    await until(host, refOf('c', 0), isDone);
  });

  it.each([
    ['all', { queued: 20 }, 25],
    ['tenant', { queuedPerTenant: 20 }, 25],
    ['session', { queuedPerSession: 20 }, 25],
  ] as const)(
    'refuse exactly what is too much, of %s, when all is sent at once (scale 12)',
    async (of, limits, count) => {
      const talk = new HeldModel();
      await using host = hostOf(talk.model, { storage: make(), limits: { running: 1, ...limits } });
      const place = (index: number) => {
        if (of === 'all') return { tenant: `t${index}`, session: 's' };
        return { tenant: 't', session: of === 'tenant' ? `s${index}` : 's' };
      };
      const first = await host.send(place(0), 'x', { idempotencyKey: 'first' });
      await vi.waitFor(() => expect(talk.open.length).toBe(1));
      const sends = Array.from({ length: count }, (_, index) => () => host.send(place(index + 1), 'x'));
      const { taken, errors } = await sendAll(sends);
      // The one that is being worked on has its place, too.
      expect(taken).toBe(19);
      for (const error of errors) {
        expect(error).toBeInstanceOf(QueueFullError);
        expect(error).toMatchObject({ code: 'QUEUE_FULL', of, limit: 20 });
        expect((error as QueueFullError).retryAfterMs).toBeGreaterThanOrEqual(LIMITS.hostRetryAfterMs);
        expect((error as QueueFullError).retryAfterMs).toBeLessThanOrEqual(LIMITS.hostRetryAfterMostMs);
      }
      expect((await host.stats()).refused).toBe(count - 19);
      // What was taken before is known, and needs no place.
      expect(await host.send(place(0), 'x', { idempotencyKey: 'first' })).toEqual(first);
      if (of !== 'all') await host.send({ tenant: 'other', session: 's' }, 'x');
      talk.open[0]?.end();
      await vi.waitFor(async () => expect((await host.stats()).turns.answered).toBe(1));
      const again = await sendAll(sends.slice(0, 2));
      expect(again.taken).toBe(1);
      talk.let();
      await vi.waitFor(async () => {
        const { sessions } = await host.stats();
        expect(sessions.queued + sessions.running).toBe(0);
      });
      await host.send(place(0), 'x');
    },
  );
}

describe('limits, in memory,', () => behave(memoryStorage));

describe.skipIf(!hasPostgres)('limits, on PostgreSQL,', () => behave(onPostgres()));

describe('limits', () => {
  it('hold with 10,000 queued conversations of one tenant, and another one begins next (scale 12 and 13)', async () => {
    const talk = new HeldModel();
    await using host = hostOf(talk.model, { limits: { running: 2, queued: 10_001 } });
    await Promise.all(Array.from({ length: 10_000 }, (_, index) => host.send(refOf('a', index), 'a')));
    await host.send(refOf('b', 0), 'b');
    await expect(host.send(refOf('b', 1), 'b')).rejects.toMatchObject({ of: 'all', limit: 10_001 });
    await vi.waitFor(() => expect(talk.open.length).toBe(2));
    const { open, sessions } = await host.stats();
    expect({ open, queued: sessions.queued }).toEqual({ open: 2, queued: 9_999 });
    talk.open[0]?.end();
    await vi.waitFor(() => expect(talk.begun).toEqual(['a', 'a', 'b']));
  });

  it('say when to come back: the longer turns take and the fewer run at once, the later', async () => {
    let ahead = 0;
    const real = clock;
    const restore = useClock({ ...real, monotonic: () => real.monotonic() + ahead });
    try {
      const talk = new HeldModel();
      const limits = { running: 10, perTenant: 5, queued: 40, queuedPerTenant: 20, queuedPerSession: 8 };
      await using host = hostOf(talk.model, { limits, lease: { ttlMs: 2 ** 30 } });
      const ref = refOf('a', 0);
      await host.send(ref, 'a');
      await vi.waitFor(() => expect(talk.open.length).toBe(1));
      // One turn of four seconds.
      ahead += 4_000;
      talk.open[0]?.end();
      await until(host, ref, isDone);
      const fill = async (of: string, send: (index: number) => Promise<unknown>): Promise<number> => {
        for (let index = 0; ; index += 1) {
          try {
            await send(index);
          } catch (error) {
            expect(error).toMatchObject({ of });
            return (error as QueueFullError).retryAfterMs;
          }
        }
      };
      // Half of what waits: 4 turns one after another, 10 of which 5 run at once, 20 of which 10 do.
      const session = await fill('session', () => host.send(ref, 'a'));
      const tenant = await fill('tenant', (index) => host.send(refOf('a', index + 1), 'a'));
      const all = await fill('all', (index) => host.send(refOf(`t${index}`, 0), 't'));
      for (const [given, wanted] of [
        [session, 16_000],
        [tenant, 8_000],
        [all, 8_000],
      ]) {
        expect(given).toBeGreaterThanOrEqual(wanted as number);
        expect(given).toBeLessThan((wanted as number) * 1.5);
      }
    } finally {
      restore();
    }
  });
});

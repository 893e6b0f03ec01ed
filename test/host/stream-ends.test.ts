/** Readers that stop, leave and are sent away leave nothing behind (R62, scale 14). */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type HostStorage, memoryStorage } from '../../src/host/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { hosted, isApproval, isDone, REF, shared, shop, until } from './support/host.js';
import { counted, hostOf, pieces, speaking } from './support/readers.js';

const quiet = speaking(pieces);

describe('a reader of events', () => {
  it.each<[string, (signal: AbortController, loop: AsyncGenerator) => Promise<unknown> | undefined]>([
    ['its signal', (gone) => Promise.resolve(gone.abort())],
    ['return(), though it waits for an event that never comes', (_, loop) => loop.return(undefined)],
  ])('is ended by %s', async (_, end) => {
    const counts = counted();
    await using host = hostOf(quiet, { storage: counts.storage });
    const gone = new AbortController();
    const loop = host.events(REF, { signal: gone.signal });
    const next = loop.next();
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(1));
    await vi.waitFor(() => expect(counts.reads).toBe(1));
    await end(gone, loop);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await loop.next()).toEqual({ done: true, value: undefined });
    expect([(await host.stats()).readers, counts.watchers]).toEqual([0, 0]);
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
  });

  it('that leaves its loop, or never begins one, leaves nothing behind', async () => {
    const counts = counted();
    await using host = hostOf(quiet, { storage: counts.storage });
    await host.send(REF, '3');
    await until(host, REF, isDone);
    const { signal } = new AbortController();
    for await (const event of host.events(REF, { signal })) if (event.id === 2) break;
    await expect(async () => {
      for await (const _ of host.events(REF, { signal })) throw new Error('mine');
    }).rejects.toThrow('mine');
    host.events(REF, { signal });
    await host.events(REF, { signal }).return(undefined);
    for await (const _ of host.events(REF, { signal: AbortSignal.abort() })) expect.unreachable();
    expect([(await host.stats()).readers, counts.watchers]).toEqual([0, 0]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the host, and none begins after it', async () => {
    const counts = counted(shared());
    const host = hostOf(quiet, { storage: counts.storage });
    const loops = [host.events(REF), host.events(REF), host.approvals({ tenant: 'acme' })];
    const ends = loops.map((loop) => loop.next());
    await vi.waitFor(() => expect(counts.watchers).toBe(2));
    await host.close();
    for (const end of ends) expect(await end).toEqual({ done: true, value: undefined });
    expect(counts.watchers).toBe(0);
    await expect(host.events(REF).next()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(host.approvals().next()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('does not wait for a storage that does not answer', async () => {
    const storage = memoryStorage();
    const stuck: HostStorage = { ...storage, events: { read: () => new Promise(() => {}) } };
    await using host = hostOf(quiet, { storage: stuck });
    const gone = new AbortController();
    const next = host.events(REF, { signal: gone.signal }).next();
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(1));
    gone.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect((await host.stats()).readers).toBe(0);
  });

  it('is told when the storage cannot be read, and can come back; others are not disturbed by it', async () => {
    const storage = memoryStorage();
    let isAway = false;
    const read: HostStorage['events']['read'] = async (...args) => {
      if (isAway) throw new Error('away');
      return storage.events.read(...args);
    };
    const both = { ...storage, close: async () => {}, events: { read } };
    // This one runs nothing, so that it has to look.
    await using reading = hostOf(quiet, {
      storage: { ...both, leases: { ...storage.leases, claim: async () => [] } },
    });
    await using host = hostOf(quiet, { storage: both });
    const waiting = reading.events(REF);
    const next = waiting.next();
    await vi.waitFor(async () => expect((await reading.stats()).readers).toBe(1));
    isAway = true;
    await host.send(REF, '2');
    await expect(next).rejects.toThrow('away');
    await expect(reading.events(REF).next()).rejects.toThrow('away');
    isAway = false;
    expect((await reading.stats()).readers).toBe(0);
    const events = await until(reading, REF, isDone);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  });

  it('beyond limits.readers is refused with a clear error, until another one leaves', async () => {
    await using host = hostOf(quiet, { limits: { readers: 2 } });
    const [one, two] = [host.events(REF), host.events(REF)];
    const waiting = [one.next(), two.next()];
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(2));
    const refused = await host
      .events(REF)
      .next()
      .catch((error) => error);
    expect(refused).toMatchObject({
      code: 'QUEUE_FULL',
      message: expect.stringMatching(/2 readers.*limits\.readers/),
    });
    await one.return(undefined);
    const three = host.events(REF);
    const next = three.next();
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(2));
    await Promise.all([two.return(undefined), three.return(undefined)]);
    expect(await Promise.all([...waiting, next])).toEqual(Array(3).fill({ done: true, value: undefined }));
  });
});

describe('a reader of questions', () => {
  it.each<[string, (gone: AbortController, loop: AsyncGenerator) => Promise<unknown> | undefined]>([
    ['its signal', (gone) => Promise.resolve(gone.abort())],
    ['return()', (_, loop) => loop.return(undefined)],
  ])('is ended by %s, and leaves nothing behind', async (_, end) => {
    const counts = counted();
    await using host = hostOf(quiet, { storage: counts.storage });
    const gone = new AbortController();
    const loop = host.approvals({ signal: gone.signal });
    const next = loop.next();
    await vi.waitFor(() => expect(counts.watchers).toBe(1));
    await end(gone, loop);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(counts.watchers).toBe(0);
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
  });
});

describe('what readers are given', () => {
  it('is their own: what one does to it changes neither what others see nor what is done', async () => {
    const { server, effects } = shop();
    const { host } = hosted([toolUse('mcp__shop__pay', { amount: 5 }), text('Paid.')], { server });
    await using _ = host;
    const meddling = (async () => {
      for await (const { message } of host.events(REF)) {
        if (isDone(message)) return;
        if (message.type === 'host' && message.subtype === 'approval') {
          Object.assign((message.approval as unknown as { input: object }).input, { amount: 5000 });
          await host.answer(message.approval.id, { behavior: 'allow' });
        }
        for (const key of Object.keys(message)) if (key !== 'type') delete (message as never)[key];
      }
    })();
    const honest = until(host, REF, isDone);
    await host.send(REF, 'Pay 5.');
    const events = await honest;
    await meddling;
    expect(effects).toEqual(['paid 5']);
    const asked = events.find(({ message }) => isApproval(message));
    expect(asked?.message).toMatchObject({ approval: { input: { amount: 5 } } });
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
  });
});

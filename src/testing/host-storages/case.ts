import { ok, rejects } from 'node:assert/strict';
import type { Lease, SessionRef } from '../../host/storage/port/conversation.js';
import type { InboxMessage } from '../../host/storage/port/inbox.js';
import type { AcquireOptions } from '../../host/storage/port/leases.js';
import type { HostStorage } from '../../host/storage/port/storage.js';

export type Case = readonly [name: string, check: (storage: HostStorage) => Promise<void>];

/** JSON that databases tend to change. */
export const AWKWARD = {
  zebra: 1,
  apple: { nested: [1, 2.5, -0.001, 1e21, true, null, '', [], {}] },
  text: 'Grüße, 世界, 🧵, "quotes", \\backslash, \u0000 zero, \u2028 separator, \ud800 half, \'; DROP TABLE sessions; --',
  'a key with $ and {}': { $set: 1 },
  number: 9_007_199_254_740_991,
};

/** Names with characters that mean something to databases. */
export const REF: SessionRef = { tenant: 'Ã¼cme "&" söhne; --', session: "user's-{7},🧵" };
export const OTHER: SessionRef = { tenant: 'other', session: REF.session };

export const prompt = (body: unknown): InboxMessage => ({ kind: 'prompt', body });

/** Long enough that it does not end while a case runs. */
export const TTL_MS = 600_000;

/** A lease on a conversation, which is created if it is not there yet. */
export async function leased(
  storage: HostStorage,
  ref: SessionRef = REF,
  options: Partial<AcquireOptions> = {},
): Promise<Lease> {
  if ((await storage.sessions.get(ref)) === undefined) await storage.inbox.send(ref, prompt('begin'));
  const { lease } = await storage.leases.acquire(ref, { owner: 'worker', ttlMs: TTL_MS, ...options });
  ok(lease, 'the conversation could not be acquired');
  return lease;
}

/** A lease whose time is over, by the storage's clock. */
export async function expired(storage: HostStorage, ref: SessionRef = REF): Promise<Lease> {
  const lease = await leased(storage, ref, { owner: 'lost', ttlMs: 1 });
  await until(async () => (await storage.sessions.get(ref))?.state === 'queued');
  return lease;
}

/** Everybody who is too late is told so. */
export async function lost(doing: Promise<unknown>): Promise<void> {
  await rejects(doing, { code: 'LEASE_LOST' });
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    ok(Date.now() < end, 'what was waited for did not happen within a minute');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

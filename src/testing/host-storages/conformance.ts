import type { SessionRef } from '../../host/storage/port/conversation.js';
import type { HostStorage } from '../../host/storage/port/storage.js';
import { sessionStoreConformance } from '../session-stores/conformance.js';
import { APPROVAL_CASES } from './approval-cases.js';
import { type Case, leased } from './case.js';
import { EVENT_CASES } from './event-cases.js';
import { INBOX_CASES } from './inbox-cases.js';
import { LEASE_CASES } from './lease-cases.js';
import { SESSION_CASES } from './session-cases.js';

/** One requirement for a storage. `run` rejects with the reason if the storage does not meet it. */
export interface HostStorageCase {
  name: string;
  run(): Promise<void>;
}

/** Creates a new, empty storage for each case; `dispose` cleans up after it. The suite closes the storage. */
export type MakeHostStorage = () =>
  | HostStorage
  | { storage: HostStorage; dispose?: () => void | Promise<void> }
  | Promise<HostStorage | { storage: HostStorage; dispose?: () => void | Promise<void> }>;

/**
 * The requirements for every storage of a host, for any test runner:
 * `for (const { name, run } of hostStorageConformance(makeStorage)) it(name, run);`
 */
export function hostStorageConformance(make: MakeHostStorage): HostStorageCase[] {
  return [
    ...INBOX_CASES,
    ...LEASE_CASES,
    ...EVENT_CASES,
    ...APPROVAL_CASES,
    ...SESSION_CASES,
    ...transcriptCases(),
  ].map(([name, check]) => ({
    name,
    run: async () => {
      const made = await make();
      const { storage, dispose } = 'inbox' in made ? { storage: made, dispose: undefined } : made;
      try {
        await check(storage);
      } finally {
        await storage.close();
        await dispose?.();
      }
    },
  }));
}

const CONVERSATION: SessionRef = { tenant: 'acme', session: 'user-7' };

/** The transcript of a conversation is a session store like any other. */
function transcriptCases(): Case[] {
  const names = sessionStoreConformance(() => Promise.reject(new Error('only the names are wanted')));
  return names.map(({ name }, index) => [
    `transcript: ${name}`,
    async (storage) => {
      const store = storage.transcript(await leased(storage, CONVERSATION));
      await sessionStoreConformance(() => store)[index]?.run();
    },
  ]);
}

import type { Lease, SessionRef } from '../../host/storage/port/conversation.js';
import type { HostStorage } from '../../host/storage/port/storage.js';
import { journalConformance } from '../journals/conformance.js';
import { sessionStoreConformance } from '../session-stores/conformance.js';
import { APPROVAL_CASES } from './approval-cases.js';
import { type Case, leased } from './case.js';
import { COMMIT_CASES } from './commit-cases.js';
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
    ...COMMIT_CASES,
    ...EVENT_CASES,
    ...APPROVAL_CASES,
    ...SESSION_CASES,
    ...BORROWED,
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

/** The transcript of a conversation is a session store like any other, and its journal a journal like any other. */
const BORROWED: readonly Case[] = [
  ...borrowed('transcript', sessionStoreConformance, (storage, lease) => storage.transcript(lease)),
  ...borrowed('journal', journalConformance, (storage, lease) => storage.journal(lease)),
];

function borrowed<Part>(
  part: string,
  conformance: (make: () => Promise<Part>) => HostStorageCase[],
  partOf: (storage: HostStorage, lease: Lease) => Part,
): Case[] {
  const names = conformance(() => Promise.reject(new Error('only the names are wanted')));
  return names.map(({ name }, index) => [
    `${part}: ${name}`,
    async (storage) => {
      const lease = await leased(storage, CONVERSATION);
      await conformance(async () => partOf(storage, lease))[index]?.run();
    },
  ]);
}

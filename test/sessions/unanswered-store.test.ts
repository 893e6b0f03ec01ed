/** A store is the user's code: no function of sessions waits for it without end, and its own errors stay its own. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  type SessionStore,
  tagSession,
} from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { sandbox } from '../support/real-cli.js';
import { within } from './support.js';

const id = '11111111-1111-4111-8111-111111111111';
const dir = '/work';

const CALLS: [
  method: keyof SessionStore,
  name: string,
  call: (sessionStore: SessionStore) => Promise<unknown>,
][] = [
  ['load', 'getSessionMessages', (sessionStore) => getSessionMessages(id, { dir, sessionStore })],
  ['load', 'getSubagentMessages', (sessionStore) => getSubagentMessages(id, 'a', { dir, sessionStore })],
  ['load', 'getSessionInfo', (sessionStore) => getSessionInfo(id, { dir, sessionStore })],
  ['load', 'forkSession', (sessionStore) => forkSession(id, { dir, sessionStore })],
  ['listSubkeys', 'listSubagents', (sessionStore) => listSubagents(id, { dir, sessionStore })],
  ['listSessionSummaries', 'listSessions', (sessionStore) => listSessions({ dir, sessionStore })],
  [
    'listSessions',
    'listSessions',
    ({ listSessionSummaries: _, ...sessionStore }) => listSessions({ dir, sessionStore }),
  ],
  ['append', 'renameSession', (sessionStore) => renameSession(id, 'A title', { dir, sessionStore })],
  ['append', 'tagSession', (sessionStore) => tagSession(id, 'a tag', { dir, sessionStore })],
  ['delete', 'deleteSession', (sessionStore) => deleteSession(id, { dir, sessionStore })],
  ['append', 'importSessionToStore', (sessionStore) => importSessionToStore(id, sessionStore, { dir })],
];

function storeWhere(method: keyof SessionStore, answer: () => Promise<never>): SessionStore {
  const methods = {
    append: async () => {},
    load: async () => null,
    listSessions: async () => [],
    listSessionSummaries: async () => [],
    listSubkeys: async () => [],
    delete: async () => {},
  };
  return { ...methods, [method]: answer };
}

/** With one conversation in the files of this machine, for what copies it. */
async function onAMachine<Result>(run: () => Promise<Result>): Promise<Result> {
  await using box = sandbox();
  const project = join(box.configDir, 'projects', '-work');
  await mkdir(project, { recursive: true });
  await writeFile(join(project, `${id}.jsonl`), '{"type":"user","uuid":"one","parentUuid":null}\n');
  return await within(box.configDir, run);
}

describe.each(CALLS)('SessionStore.%s() in %s()', (method, _, call) => {
  describe('that never answers', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    it('is an error after a minute', () =>
      onAMachine(async () => {
        let isAsked = (): void => {};
        const asked = new Promise<void>((resolve) => {
          isAsked = resolve;
        });
        const hang = () => {
          isAsked();
          return new Promise<never>(() => {});
        };
        const called = call(storeWhere(method, hang));
        const outcome = expect(called).rejects.toMatchObject({
          code: 'SESSION_STORE_FAILED',
          message: expect.stringContaining(
            `SessionStore.${method}() timed out after ${LIMITS.storeCallMs} ms`,
          ),
        });
        await asked;
        await vi.advanceTimersByTimeAsync(LIMITS.storeCallMs);
        await outcome;
      }));
  });

  it('that throws is heard in its own words', () =>
    onAMachine(async () => {
      const broken = new Error('No connection.');
      await expect(call(storeWhere(method, () => Promise.reject(broken)))).rejects.toBe(broken);
    }));
});

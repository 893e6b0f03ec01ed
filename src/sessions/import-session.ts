import { OptionError } from '../protocol/base/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';
import { checkSessionId, requireTranscript } from './change-session.js';
import { entriesOf, withFile } from './entries.js';
import { projectKeyAt } from './places.js';
import type { ImportSessionToStoreOptions } from './session-info.js';
import { readMetadata, subagentFiles } from './session-messages.js';
import { callStore } from './store-calls.js';

const BATCH_SIZE = 500;

export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  checkSessionId('importSessionToStore', sessionId);
  const { dir, batchSize = BATCH_SIZE, includeSubagents = true } = options;
  if (!(batchSize > 0)) {
    throw new OptionError(
      'batchSize',
      batchSize,
      'importSessionToStore(): batchSize must be a number above 0.',
    );
  }
  const { path } = await requireTranscript(sessionId, dir, '');
  const key = { projectKey: await projectKeyAt(dir), sessionId };
  await copy(path, store, key, batchSize, []);
  if (!includeSubagents) return;
  for (const [agentId, file] of await subagentFiles(sessionId, dir)) {
    const metadata = { ...(await readMetadata(file)), type: 'agent_metadata' };
    await copy(file, store, { ...key, subpath: `subagents/agent-${agentId}` }, batchSize, [metadata]);
  }
}

async function copy(
  path: string,
  store: SessionStore,
  key: SessionKey,
  batchSize: number,
  last: SessionStoreEntry[],
): Promise<void> {
  let batch: SessionStoreEntry[] = [];
  const flush = async (): Promise<void> => {
    const entries = batch;
    batch = [];
    if (entries.length > 0) await callStore('append', () => store.append(key, entries));
  };
  await withFile(path, async (file) => {
    for await (const { entry } of entriesOf(file)) {
      batch.push(entry);
      if (batch.length >= batchSize) await flush();
    }
  });
  await flush();
  batch = last;
  await flush();
}

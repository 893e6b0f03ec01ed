import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { appendTo, readFrom } from '../../sessions/store-calls.js';
import type { CheckpointLog } from '../../workspace/files/checkpoints.js';

export interface LogPlace {
  /** Undefined: copies are only kept in memory. */
  readonly store: SessionStore | undefined;
  readonly key: SessionKey;
  /** The conversation that this one goes on from, if it does. */
  readonly from: SessionKey | undefined;
}

/** Beside the transcript, where stores keep what belongs to a conversation. */
const SUBPATH = 'file-history';

/** The log of checkpoints in a session store. A fork gets a copy of it. */
export async function openLog(
  { store, key, from }: LogPlace,
  warn: (text: string) => void,
): Promise<CheckpointLog> {
  let bytes = 0;
  let isFull = store === undefined;
  let appending: Promise<void> = Promise.resolve();
  const giveUp = (why: string): void => {
    if (!isFull) warn(`After this conversation is resumed, rewindFiles() cannot go back to here: ${why}.`);
    isFull = true;
  };
  const write = async (entries: SessionStoreEntry[]): Promise<void> => {
    if (store === undefined || isFull || entries.length === 0) return;
    bytes += sizeOf(entries);
    if (bytes > LIMITS.maxCheckpointLogBytes) return giveUp('the copies of files have become too large');
    try {
      await appendTo(store, { ...key, subpath: SUBPATH }, entries);
    } catch (error) {
      giveUp(messageOf(error));
    }
  };
  const append = (entries: SessionStoreEntry[]): Promise<void> => {
    appending = appending.then(() => write(entries));
    return appending;
  };
  const earlier = await earlierEntries(store, from, giveUp);
  if (from?.sessionId === key.sessionId) bytes = sizeOf(earlier);
  else await append([...earlier]);
  return { earlier, append };
}

async function earlierEntries(
  store: SessionStore | undefined,
  from: SessionKey | undefined,
  giveUp: (why: string) => void,
): Promise<readonly SessionStoreEntry[]> {
  if (store === undefined || from === undefined) return [];
  try {
    return (await readFrom('load', async () => store.load({ ...from, subpath: SUBPATH }))) ?? [];
  } catch (error) {
    giveUp(messageOf(error));
    return [];
  }
}

function sizeOf(entries: readonly SessionStoreEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + (typeof bytes === 'string' ? bytes.length : 0), 0);
}

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clock } from '../protocol/base/clock.js';
import { OptionError } from '../protocol/base/errors.js';
import type { SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';
import { checkSessionId, requireTranscript, sessionNotFound } from './change-session.js';
import { entriesOf, withFile } from './entries.js';
import { Fork } from './fork.js';
import { projectKeyAt } from './places.js';
import type { ForkSessionOptions, ForkSessionResult } from './session-info.js';
import { callStore } from './store-calls.js';

export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<ForkSessionResult> {
  checkSessionId('forkSession', sessionId);
  const fork = new Fork(sessionId, clock.uuid(), options.title);
  if (options.sessionStore != null) await forkInStore(options.sessionStore, fork, options);
  else await forkFile(fork, options);
  return { sessionId: fork.sessionId };
}

async function forkInStore(store: SessionStore, fork: Fork, options: ForkSessionOptions): Promise<void> {
  const projectKey = await projectKeyAt(options.dir);
  const entries = await callStore('load', () => store.load({ projectKey, sessionId: fork.source }));
  if (entries == null) throw sessionNotFound(fork.source, '');
  for (const entry of entries) fork.see(entry);
  checkEnd(fork.endAt(options.upToMessageId), fork, options);
  const forked = [...entries.flatMap((entry) => fork.copy(entry) ?? []), ...fork.closing()];
  await callStore('append', () => store.append({ projectKey, sessionId: fork.sessionId }, forked));
}

/**
 * Writes a temporary file and renames it once complete. Reads the original twice, with one entry in memory at
 * a time.
 */
async function forkFile(fork: Fork, options: ForkSessionOptions): Promise<void> {
  const { path } = await requireTranscript(fork.source, options.dir, '');
  const target = join(dirname(path), `${fork.sessionId}.jsonl`);
  const unfinished = `${target}.unfinished`;
  await withFile(path, async (source) => {
    for await (const { entry } of entriesOf(source)) fork.see(entry);
    checkEnd(fork.endAt(options.upToMessageId), fork, options);
    const out = await open(unfinished, 'wx', 0o600);
    try {
      for await (const { entry } of entriesOf(source)) {
        const copy = fork.copy(entry);
        if (copy !== undefined) await write(out, copy);
      }
      for (const entry of fork.closing()) await write(out, entry);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    } finally {
      await out.close();
    }
    await rename(unfinished, target);
  });
}

async function write(file: FileHandle, entry: SessionStoreEntry): Promise<void> {
  await file.write(`${JSON.stringify(entry)}\n`);
}

function checkEnd(found: boolean, fork: Fork, { upToMessageId }: ForkSessionOptions): void {
  if (found) return;
  throw new OptionError(
    'upToMessageId',
    upToMessageId,
    `forkSession(): Message ${upToMessageId} not found in session ${fork.source}. Take an id from getSessionMessages().`,
  );
}

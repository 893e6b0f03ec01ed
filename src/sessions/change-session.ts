import { rm } from 'node:fs/promises';
import { clock, timestamp } from '../protocol/base/clock.js';
import { OptionError, TenonError } from '../protocol/base/errors.js';
import type { SessionStoreEntry } from '../protocol/wire/session-store.js';
import { appendLines } from './append-lines.js';
import { writeArchived } from './archive.js';
import { projectKeyAt } from './places.js';
import { isSessionId } from './project-key.js';
import type { SessionMutationOptions } from './session-info.js';
import { callStore } from './store-calls.js';
import { findTranscript, type TranscriptFile } from './transcript-files.js';

export function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId('renameSession', sessionId);
  const customTitle = title.trim();
  if (customTitle === '') {
    throw new OptionError('title', title, 'renameSession(): title must be non-empty.');
  }
  return appendMetadata(sessionId, { type: 'custom-title', customTitle, sessionId }, options);
}

export function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId('tagSession', sessionId);
  const visible = tag === null ? '' : withoutInvisible(tag);
  if (tag !== null && visible === '') {
    throw new OptionError('tag', tag, 'tagSession(): tag must be non-empty (use null to clear it).');
  }
  return appendMetadata(sessionId, { type: 'tag', tag: visible, sessionId }, options);
}

export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  checkSessionId('deleteSession', sessionId);
  const { dir, sessionStore } = options;
  if (sessionStore != null) {
    // A store without `delete` keeps everything.
    const key = { projectKey: await projectKeyAt(dir), sessionId };
    await callStore('delete', async () => sessionStore.delete?.(key));
    return;
  }
  const { path, folder } = await requireTranscript(sessionId, dir);
  await rm(path);
  await rm(folder, { recursive: true, force: true });
}

export async function setArchived(
  sessionId: string,
  archived: boolean,
  { dir, sessionStore }: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId(archived ? 'archiveSession' : 'unarchiveSession', sessionId);
  if (sessionStore != null) {
    throw new OptionError(
      'sessionStore',
      sessionStore,
      'Archiving is not supported with sessionStore: the mark is a file next to a local transcript. Use tagSession().',
    );
  }
  await writeArchived(await requireTranscript(sessionId, dir), archived);
}

export function checkSessionId(functionName: string, sessionId: unknown): void {
  if (isSessionId(sessionId)) return;
  throw new OptionError('sessionId', sessionId, `${functionName}(): Invalid sessionId: ${String(sessionId)}`);
}

/** `where` tells the error where the session was looked for. */
export async function requireTranscript(
  sessionId: string,
  dir: string | undefined,
  where: string = dir === undefined ? 'in any project directory' : `for the directory ${dir}`,
): Promise<TranscriptFile> {
  const file = await findTranscript(sessionId, dir);
  if (file === undefined) throw sessionNotFound(sessionId, where);
  return file;
}

export function sessionNotFound(sessionId: string, where: string): TenonError {
  return new TenonError('SESSION_NOT_FOUND', `Session ${sessionId} not found ${where}`.trim());
}

/** Appends metadata to the end of a conversation. */
async function appendMetadata(
  sessionId: string,
  entry: SessionStoreEntry,
  options: SessionMutationOptions,
): Promise<void> {
  const { dir, sessionStore } = options;
  if (sessionStore != null) {
    const stamped = { ...entry, uuid: clock.uuid(), timestamp: timestamp() };
    const key = { projectKey: await projectKeyAt(dir), sessionId };
    await callStore('append', () => sessionStore.append(key, [stamped]));
    return;
  }
  await appendLines((await requireTranscript(sessionId, dir)).path, [entry]);
}

/** Tags are compared by their visible characters. */
function withoutInvisible(tag: string): string {
  return tag
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .trim();
}

import { randomUUID } from 'node:crypto';
import { appendFile, rm } from 'node:fs/promises';
import { OptionError, TenonError } from '../protocol/errors.js';
import type { SessionStoreEntry } from '../protocol/session-store.js';
import { writeArchived } from './archive.js';
import { readAt, withFile } from './entries.js';
import { isSessionId, projectKeyAt } from './places.js';
import type { SessionMutationOptions } from './session-info.js';
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
  return note(sessionId, { type: 'custom-title', customTitle, sessionId }, options);
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
  return note(sessionId, { type: 'tag', tag: visible, sessionId }, options);
}

export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  checkSessionId('deleteSession', sessionId);
  const { dir, sessionStore } = options;
  if (sessionStore != null) {
    // A store without `delete` is one that keeps everything.
    await sessionStore.delete?.({ projectKey: await projectKeyAt(dir), sessionId });
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
      'Archiving is not supported with sessionStore: the mark is a file beside a local transcript. Use tagSession().',
    );
  }
  await writeArchived(await requireTranscript(sessionId, dir), archived);
}

export function checkSessionId(functionName: string, sessionId: unknown): void {
  if (isSessionId(sessionId)) return;
  throw new OptionError('sessionId', sessionId, `${functionName}(): Invalid sessionId: ${String(sessionId)}`);
}

/** `where`: as the error is to say where it was looked for. */
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

/** Something about the conversation, written at its end. */
async function note(
  sessionId: string,
  entry: SessionStoreEntry,
  options: SessionMutationOptions,
): Promise<void> {
  const { dir, sessionStore } = options;
  if (sessionStore != null) {
    const stamped = { ...entry, uuid: randomUUID(), timestamp: new Date().toISOString() };
    await sessionStore.append({ projectKey: await projectKeyAt(dir), sessionId }, [stamped]);
    return;
  }
  const { path, size } = await requireTranscript(sessionId, dir);
  // After a crash the last line may have no end; what is written now must not become a part of it.
  const last = await withFile(path, (file) => readAt(file, Math.max(0, size - 1), 1));
  const gap = last === undefined || last.length === 0 || last.toString() === '\n' ? '' : '\n';
  await appendFile(path, `${gap}${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

/** A tag is compared by what one sees of it. */
function withoutInvisible(tag: string): string {
  return tag
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .trim();
}

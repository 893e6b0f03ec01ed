// The functions on conversations. Each loads its own code when it is called: most programs call none of them.

import type { SessionStore } from '../protocol/session-store.js';
import type {
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  SDKSessionInfo,
  SessionMessage,
  SessionMutationOptions,
} from './session-info.js';

/** The conversations on this machine or in a store, the newest first. Reads the ends of their files, not the files. */
export async function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  return (await import('./list-sessions.js')).listSessions(options);
}

/** What `listSessions` tells, of one; undefined when there is no such conversation. */
export async function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  return (await import('./list-sessions.js')).getSessionInfo(sessionId, options);
}

/** What was said, in order; empty when there is no such conversation. */
export async function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  return (await import('./session-messages.js')).getSessionMessages(sessionId, options);
}

/** The ids of the subagents of a conversation. */
export async function listSubagents(sessionId: string, options?: ListSubagentsOptions): Promise<string[]> {
  return (await import('./session-messages.js')).listSubagents(sessionId, options);
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  return (await import('./session-messages.js')).getSubagentMessages(sessionId, agentId, options);
}

/** A copy under an id of its own, to go on from; with `upToMessageId` of its beginning only. */
export async function forkSession(
  sessionId: string,
  options?: ForkSessionOptions,
): Promise<ForkSessionResult> {
  return (await import('./fork-session.js')).forkSession(sessionId, options);
}

/** Removes the transcript and those of its subagents, on this machine or in the store. */
export async function deleteSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return (await import('./change-session.js')).deleteSession(sessionId, options);
}

export async function renameSession(
  sessionId: string,
  title: string,
  options?: SessionMutationOptions,
): Promise<void> {
  return (await import('./change-session.js')).renameSession(sessionId, title, options);
}

/** null takes the tag away. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  return (await import('./change-session.js')).tagSession(sessionId, tag, options);
}

/** It stays in the list, with `archived: true`, until somebody writes in it again. */
export async function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return (await import('./change-session.js')).setArchived(sessionId, true, options);
}

export async function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return (await import('./change-session.js')).setArchived(sessionId, false, options);
}

/** Copies a conversation of this machine into a store. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  return (await import('./import-session.js')).importSessionToStore(sessionId, store, options);
}

// Functions that work on stored conversations. Each loads its code when called: most programs call none of
// them.

import type { SessionStore } from '../protocol/wire/session-store.js';
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

/**
 * Lists the conversations on this machine or in a store, newest first. Reads only the ends of their files.
 */
export async function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  return (await import('./list-sessions.js')).listSessions(options);
}

/** What `listSessions` returns, for one conversation; undefined if it does not exist. */
export async function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  return (await import('./list-sessions.js')).getSessionInfo(sessionId, options);
}

/** The messages of a conversation, in order; empty if it does not exist. */
export async function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  return (await import('./session-messages.js')).getSessionMessages(sessionId, options);
}

/** The ids of a conversation's subagents. */
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

/** Copies a conversation under a new id, to continue from; with `upToMessageId`, only up to that message. */
export async function forkSession(
  sessionId: string,
  options?: ForkSessionOptions,
): Promise<ForkSessionResult> {
  return (await import('./fork-session.js')).forkSession(sessionId, options);
}

/** Deletes a transcript and those of its subagents, on this machine or in a store. */
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

/** `null` removes the tag. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  return (await import('./change-session.js')).tagSession(sessionId, tag, options);
}

/** Archived conversations stay in the list, with `archived: true`, until the next prompt. */
export async function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return (await import('./change-session.js')).setArchived(sessionId, true, options);
}

export async function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return (await import('./change-session.js')).setArchived(sessionId, false, options);
}

/** Copies a conversation from this machine to a store. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  return (await import('./import-session.js')).importSessionToStore(sessionId, store, options);
}

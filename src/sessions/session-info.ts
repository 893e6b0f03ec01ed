// What the functions on conversations take and give. Names and shapes are those of the official SDK.

import type { SessionStore } from '../protocol/session-store.js';

export type SDKSessionInfo = {
  sessionId: string;
  /** For a list: the title, what was last asked, or what was first asked. */
  summary: string;
  /** In milliseconds since 1970. */
  lastModified: number;
  /** In bytes; not for conversations in a store. */
  fileSize?: number;
  customTitle?: string;
  firstPrompt?: string;
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  createdAt?: number;
  /** Absent when it never was. A prompt in it takes it out of the archive. */
  archived?: boolean;
};

export type SessionMessage = {
  type: 'user' | 'assistant' | 'system';
  uuid: string;
  session_id: string;
  /** As the Messages API has it; absent for most system messages. */
  message: unknown;
  /** For the words of a subagent: the call that sent for it. */
  parent_tool_use_id: string | null;
  /** For a subagent of a subagent: the one that sent for it. */
  parent_agent_id: string | null;
};

type Place = {
  /** The directory that the conversation was held in. Without it all are searched. */
  dir?: string | undefined;
  /** Where to look instead of this machine's files. */
  sessionStore?: SessionStore | undefined;
};

type Page = {
  /** 0 or absent: no limit. */
  limit?: number | undefined;
  offset?: number | undefined;
};

export type ListSessionsOptions = Place &
  Page & {
    /** Also those of the other worktrees of the repository that `dir` is in; true unless given. */
    includeWorktrees?: boolean | undefined;
    /** Also those that programs have held through an SDK; true unless given. */
    includeProgrammatic?: boolean | undefined;
  };

export type GetSessionInfoOptions = Place;

export type GetSessionMessagesOptions = Place & Page & { includeSystemMessages?: boolean | undefined };

export type ListSubagentsOptions = Place;

export type GetSubagentMessagesOptions = Place & Page;

export type SessionMutationOptions = Place;

export type ForkSessionOptions = SessionMutationOptions & {
  /** The last message that is taken over, by its `uuid`. Without it everything is. */
  upToMessageId?: string | undefined;
  title?: string | undefined;
};

export type ForkSessionResult = { sessionId: string };

export type ImportSessionToStoreOptions = {
  dir?: string | undefined;
  /** True unless given. */
  includeSubagents?: boolean | undefined;
  /** The most entries in one `append`; 500 unless given. */
  batchSize?: number | undefined;
};

// Parameters and results of the session functions. Names and shapes are those of the official SDK.

import type { SessionStore } from '../protocol/wire/session-store.js';

export type SDKSessionInfo = {
  sessionId: string;
  /** For a list: the title, the last prompt or the first prompt. */
  summary: string;
  /** In milliseconds since 1970. */
  lastModified: number;
  /** In bytes; absent for conversations in a store. */
  fileSize?: number;
  customTitle?: string;
  firstPrompt?: string;
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  createdAt?: number;
  /** Absent if never archived. A prompt takes a conversation out of the archive. */
  archived?: boolean;
};

export type SessionMessage = {
  type: 'user' | 'assistant' | 'system';
  uuid: string;
  session_id: string;
  /** In the format of the Messages API; absent for most system messages. */
  message: unknown;
  /** For a subagent's messages: the call that started it. */
  parent_tool_use_id: string | null;
  /** For a nested subagent: the subagent that started it. */
  parent_agent_id: string | null;
};

type Place = {
  /** The working directory of the conversation. Without it, all directories are searched. */
  dir?: string | undefined;
  /** Searched instead of this machine's files. */
  sessionStore?: SessionStore | undefined;
};

type Page = {
  /** 0 or absent: no limit. */
  limit?: number | undefined;
  offset?: number | undefined;
};

export type ListSessionsOptions = Place &
  Page & {
    /** Include the other worktrees of the repository that `dir` is in; true by default. */
    includeWorktrees?: boolean | undefined;
    /** Include conversations started by programs through an SDK; true by default. */
    includeProgrammatic?: boolean | undefined;
  };

export type GetSessionInfoOptions = Place;

export type GetSessionMessagesOptions = Place & Page & { includeSystemMessages?: boolean | undefined };

export type ListSubagentsOptions = Place;

export type GetSubagentMessagesOptions = Place & Page;

export type SessionMutationOptions = Place;

export type ForkSessionOptions = SessionMutationOptions & {
  /** The `uuid` of the last message to copy. Without it, everything is copied. */
  upToMessageId?: string | undefined;
  title?: string | undefined;
};

export type ForkSessionResult = { sessionId: string };

export type ImportSessionToStoreOptions = {
  dir?: string | undefined;
  /** True by default. */
  includeSubagents?: boolean | undefined;
  /** The maximum number of entries in one `append`; 500 by default. */
  batchSize?: number | undefined;
};

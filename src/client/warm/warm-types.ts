import type { AgentDefinition } from '../../protocol/agents.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import type { ExitStatus } from '../ending.js';
import type { Prompt } from '../open-agent.js';
import type { Options } from '../options.js';
import type { Query } from '../query-type.js';

export interface WarmParameters {
  options?: Options | undefined;
  /** How long the agent may take to be ready; 60 seconds unless given. */
  initializeTimeoutMs?: number | undefined;
}

/** An agent that is ready, and waits for its prompt. */
export interface WarmQuery extends AsyncDisposable {
  /** Once. */
  query(prompt: Prompt): Query;
  /** Ends it without a prompt. The official SDK returns nothing here; ours resolves when the process is gone. */
  close(): Promise<void>;
  /** Tenon's own: the process. */
  readonly pid: number | undefined;
  /** Tenon's own: resolves when the process has gone, used or not. Never rejects. */
  readonly exited: Promise<ExitStatus>;
}

/** What a session can still choose when it takes an agent that was started before. */
export type ClaimOptions = {
  cwd: string;
  /** Only what the CLI takes this late: tokens, and the id of the host's session. */
  env?: Record<string, string> | undefined;
  additionalDirectories?: string[] | undefined;
  model?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  maxThinkingTokens?: number | null | undefined;
  /** The prompt waits until these are accepted. Not for hooks: those are given to `prewarm()`. */
  settings?: Parameters<Query['applyFlagSettings']>[0] | undefined;
  appendSystemPrompt?: string | undefined;
  title?: string | undefined;
  agents?: Record<string, AgentDefinition> | undefined;
};

export type ClaimedSession = {
  cwd: string;
  sessionId: string;
  /** How long it has waited. */
  parkedMs?: number;
  sdkMcpSettled: boolean;
};

/** An agent that was started before anybody knew for which session. */
export interface SpareProcess extends AsyncDisposable {
  /** Binds it to a session and sends the prompt. Once. */
  claim(parameters: { prompt: Prompt; options: ClaimOptions }): Query;
  /** Resolves when the agent has taken the claim and what came with it. */
  readonly claimed: Promise<ClaimedSession>;
  /** Settles when the process has gone, claimed or not. Never rejects. */
  readonly exited: Promise<void>;
  /** The official SDK returns nothing here; ours resolves when the process is gone. */
  close(): Promise<void>;
  /** Tenon's own: the process. */
  readonly pid: number | undefined;
}

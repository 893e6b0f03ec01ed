import type { Options } from '../../options/options.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { AgentDefinition } from '../../protocol/wire/agents.js';
import type { ExitStatus } from '../conversation/ending.js';
import type { Prompt } from '../conversation/user-input.js';
import type { Query } from '../query/query-type.js';

export interface WarmParameters {
  options?: Options | undefined;
  /** How long the agent may take to be ready; 60 seconds by default. */
  initializeTimeoutMs?: number | undefined;
}

/** An agent that is ready and waits for its prompt. */
export interface WarmQuery extends AsyncDisposable {
  /** Can be called once. */
  query(prompt: Prompt): Query;
  /**
   * Ends it without a prompt. The official SDK returns nothing here; Tenon resolves when the process has
   * exited.
   */
  close(): Promise<void>;
  /** Tenon's own: the process. */
  readonly pid: number | undefined;
  /** Tenon's own: resolves when the process has exited, whether used or not. Never rejects. */
  readonly exited: Promise<ExitStatus>;
}

/** What a session can still choose when it claims an agent that is already running. */
export type ClaimOptions = {
  cwd: string;
  /** Only what the CLI accepts this late: tokens, and the id of the host's session. */
  env?: Record<string, string> | undefined;
  additionalDirectories?: string[] | undefined;
  model?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  maxThinkingTokens?: number | null | undefined;
  /** The prompt waits until these are accepted. Hooks are not possible here: pass them to `prewarm()`. */
  settings?: Parameters<Query['applyFlagSettings']>[0] | undefined;
  appendSystemPrompt?: string | undefined;
  title?: string | undefined;
  agents?: Record<string, AgentDefinition> | undefined;
};

export type ClaimedSession = {
  cwd: string;
  sessionId: string;
  /** How long it had waited. */
  parkedMs?: number;
  sdkMcpSettled: boolean;
};

/** An agent that was started before its session was known. */
export interface SpareProcess extends AsyncDisposable {
  /** Binds it to a session and sends the prompt. Can be called once. */
  claim(parameters: { prompt: Prompt; options: ClaimOptions }): Query;
  /** Resolves when the agent has accepted the claim and everything sent with it. */
  readonly claimed: Promise<ClaimedSession>;
  /** Resolves when the process has exited, whether claimed or not. Never rejects. */
  readonly exited: Promise<void>;
  /** The official SDK returns nothing here; Tenon resolves when the process has exited. */
  close(): Promise<void>;
  /** Tenon's own: the process. */
  readonly pid: number | undefined;
}

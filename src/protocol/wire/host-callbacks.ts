// Questions from the agent other than permission requests: elicitation and dialogs.

import type { ElicitResult } from '../../mcp/types.js';

export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

export type ElicitationResult = ElicitResult;

export type UserDialogRequest = {
  dialogKind: string;
  payload: Record<string, unknown>;
  toolUseID?: string;
};

export type UserDialogResult = { behavior: 'completed'; result: unknown } | { behavior: 'cancelled' };

export type HostCallbackContext = { signal: AbortSignal; requestId: string };

// `null` means that nobody answered: the question counts as declined. At run time no promise is needed.
export type OnElicitation = (
  request: ElicitationRequest,
  options: HostCallbackContext,
) => Promise<ElicitationResult | null>;

export type OnUserDialog = (
  request: UserDialogRequest,
  options: HostCallbackContext,
) => Promise<UserDialogResult | null>;

/** An in-process server asks a model; `params` and the answer are those of MCP's `sampling/createMessage`. */
export type SamplingRequest = { serverName: string; params: Record<string, unknown> };

export type OnSampling = (
  request: SamplingRequest,
  options: HostCallbackContext,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Implementation } from '../types.js';

export interface McpReconnectPolicy {
  /** Delay before the first attempt, in milliseconds; it doubles with each further one. */
  firstMs: number;
  maxMs: number;
  /** After this many in a row, the server has failed. */
  attempts: number;
}

/** Settings shared by all servers of a conversation. */
export interface McpSettings {
  /** How we introduce ourselves to servers. */
  readonly clientInfo: Implementation;
  readonly connectTimeoutMs: number;
  /** For one tool call; 0 means no limit. */
  readonly toolTimeoutMs: number;
  readonly reconnect: McpReconnectPolicy;
  /** Receives what servers log. */
  readonly onLog?: ((server: string, entry: Record<string, unknown>) => void) | undefined;
}

export const DEFAULT_RECONNECT: McpReconnectPolicy = {
  firstMs: LIMITS.mcpReconnectMs,
  maxMs: LIMITS.mcpReconnectMaxMs,
  attempts: LIMITS.mcpReconnectAttempts,
};

/**
 * None after a connection that was stable; otherwise longer each time, and with jitter, so that servers that died
 * together are not all contacted at the same moment.
 */
export function reconnectDelayMs({ firstMs, maxMs }: McpReconnectPolicy, failedAttempts: number): number {
  if (failedAttempts === 0) return 0;
  return Math.min(maxMs, firstMs * 2 ** (failedAttempts - 1)) * (0.75 + clock.random() / 4);
}

/** Parses milliseconds in an environment variable the way the CLI does for `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. */
export function milliseconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

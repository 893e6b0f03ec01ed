import { LIMITS } from '../../protocol/limits.js';

export interface McpReconnectPolicy {
  /** Before the first attempt, in milliseconds; each further one waits twice as long. */
  firstMs: number;
  maxMs: number;
  /** So many in a row, then the server has failed. */
  attempts: number;
}

/** What holds for all servers of a conversation. */
export interface McpSettings {
  readonly connectTimeoutMs: number;
  /** For one call of a tool; 0: no limit. */
  readonly toolTimeoutMs: number;
  readonly reconnect: McpReconnectPolicy;
  /** What servers log. */
  readonly onLog?: ((server: string, entry: Record<string, unknown>) => void) | undefined;
}

export const DEFAULT_RECONNECT: McpReconnectPolicy = {
  firstMs: LIMITS.mcpReconnectMs,
  maxMs: LIMITS.mcpReconnectMaxMs,
  attempts: LIMITS.mcpReconnectAttempts,
};

/**
 * At once after a connection that held. Otherwise longer and longer, and not the same for all: servers that died together
 * must not be stormed together.
 */
export function reconnectDelayMs({ firstMs, maxMs }: McpReconnectPolicy, failedAttempts: number): number {
  if (failedAttempts === 0) return 0;
  return Math.min(maxMs, firstMs * 2 ** (failedAttempts - 1)) * (0.75 + Math.random() / 4);
}

/** A number of milliseconds in an environment variable, as the CLI reads `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. */
export function milliseconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

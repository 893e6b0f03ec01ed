import type { MessageParam } from '../protocol/content.js';
import type { RuntimeFlags } from './flags.js';
import type { Model } from './model.js';
import type { RuntimeSessionStore } from './sessions/session-store.js';
import type { PriceTable } from './usage.js';

/** What a runtime is made of, beside what its host tells it. */
export interface RuntimeConfig {
  model: Model;
  /** The longest answer that is asked for, in tokens. */
  maxTokens?: number | undefined;
  prices?: PriceTable | undefined;
  /** Where conversations are kept, for `resume`, `continue` and `forkSession`. Default: nowhere. */
  sessionStore?: RuntimeSessionStore | undefined;
  /** What was said before the first prompt. Calls and results must come in pairs. */
  history?: readonly MessageParam[] | undefined;
  /** With more tools of servers than this, those without `alwaysLoad` are found by search. */
  deferAbove?: number | undefined;
  /** For the handshake with one MCP server, in milliseconds. */
  mcpConnectTimeoutMs?: number | undefined;
}

/** What one conversation is started with. */
export interface RuntimeStart {
  flags: RuntimeFlags;
  cwd: string;
  /** The host reads `session_state_changed` lines. */
  reportsState: boolean;
  /** What a program would write to stderr. */
  onStderr?: ((text: string) => void) | undefined;
  /** Told of a line of the host that is no frame. */
  onNoise?: ((line: string) => void) | undefined;
}

export const DEFAULT_MAX_TOKENS = 16_384;
/** Below this, searching costs more than it saves. */
export const DEFAULT_DEFER_ABOVE = 50;
/** For the version fields of lines: the protocol that is spoken, and who speaks it. */
export const RUNTIME_VERSION = '0.1.0';

import { LIMITS } from '../protocol/limits.js';
import type { SecretValues } from '../protocol/secret-values.js';
import type { Debug } from './debug.js';
import type { Options } from './options.js';

/** What a conversation takes from the options, with the defaults filled in. */
export interface ConversationSettings {
  closeGraceMs: number | undefined;
  controlTimeoutMs: number;
  maxUnreadBytes: number;
  startupTimeoutMs: number;
  throwOnErrorResult: boolean;
  verbatimPrompts: boolean;
  /** The agent is told before its input ends. The CLI has no use for it, and takes a second longer to leave. */
  endsSession: boolean;
  stderr: ((text: string) => void) | undefined;
  debug: Debug;
  /** Takes out of a text what was given as `env` or `headers`. */
  hide: (text: string) => string;
}

export function conversationSettings(
  options: Options,
  debug: Debug,
  secrets: SecretValues,
): ConversationSettings {
  return {
    closeGraceMs: options.closeGraceMs,
    controlTimeoutMs: options.controlTimeoutMs ?? LIMITS.controlTimeoutMs,
    maxUnreadBytes: options.maxUnreadBytes ?? LIMITS.maxUnreadBytes,
    startupTimeoutMs: options.startupTimeoutMs ?? LIMITS.startupTimeoutMs,
    throwOnErrorResult: options.throwOnErrorResult ?? true,
    verbatimPrompts: options.verbatimPrompts ?? false,
    endsSession: options.runtime !== undefined && (options.hooks?.SessionEnd?.length ?? 0) > 0,
    stderr: options.stderr ?? undefined,
    debug,
    hide: (text) => secrets.hide(text),
  };
}

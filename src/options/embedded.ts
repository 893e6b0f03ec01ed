// How the embedded runtime responds to options that it cannot honour.

import { RUNTIME_HOOKS } from '../protocol/wire/hook-inputs.js';
import type { Options } from './options.js';
import type { Support } from './row.js';

export const refuses = (reason: string): Support => ({ refuses: reason });
export const ignores = (reason: string): Support => ({ ignores: reason });
const ignoresPart = (reason: string): Support => ({ ignores: reason, inPart: true });

/** Applies to every agent that the client does not start as a process. */
export const NO_PROCESS: Support = ignores('this side starts no process of the Claude Code CLI');

/** Hooks that could deny something, each with what can deny it instead. */
const DECIDING_HOOKS: Readonly<Record<string, string>> = {
  Elicitation: '`onElicitation`',
  PermissionRequest: '`canUseTool` or a PreToolUse hook',
};

export function aboutHooks(hooks: NonNullable<Options['hooks']>): Support {
  const wanted = Object.entries(hooks).flatMap(([event, matchers]) => (matchers?.length ? [event] : []));
  const never = wanted.filter((event) => !RUNTIME_HOOKS.some((called) => called === event));
  const lost = never.find((event) => event in DECIDING_HOOKS);
  if (lost !== undefined)
    return refuses(`it never calls hooks of ${lost}, which could say no; give ${DECIDING_HOOKS[lost]}`);
  return never.length === 0 ? 'acts' : ignoresPart(`it never calls hooks of ${never.join(', ')}`);
}

export function aboutPrompt(prompt: NonNullable<Options['systemPrompt']>): Support {
  if (typeof prompt === 'string' || Array.isArray(prompt)) return 'acts';
  return prompt.snapshot == null ? 'acts' : ignoresPart('it keeps no snapshots of prompts');
}

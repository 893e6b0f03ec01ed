// Agents started before they are needed.

import type { SpareProcess, WarmParameters, WarmQuery } from './warm-types.js';

/** Starts an agent and resolves when it is ready, so that a prompt need not wait. */
export async function startup(parameters?: WarmParameters): Promise<WarmQuery> {
  return (await import('./startup.js')).startup(parameters);
}

/**
 * Starts an agent before its session is known; `claim` gives it a directory, a mode, a model, and the prompt.
 */
export async function prewarm(parameters?: WarmParameters): Promise<SpareProcess> {
  return (await import('./prewarm.js')).prewarm(parameters);
}

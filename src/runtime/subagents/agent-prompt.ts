import type { KnownAgent } from './known-agent.js';

/** The system prompt of an agent, and what it must never forget. */
export function promptOf({ prompt, criticalSystemReminder_EXPERIMENTAL: reminder }: KnownAgent): string[] {
  return reminder === undefined ? [prompt] : [prompt, reminder];
}

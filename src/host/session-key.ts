import type { SessionRef } from './storage/port/conversation.js';

/** The name of a conversation as one text. Names have no control characters. */
export function keyOf({ tenant, session }: SessionRef): string {
  return `${tenant}\n${session}`;
}

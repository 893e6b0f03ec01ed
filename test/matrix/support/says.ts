import type { SDKUserMessage } from '../../../src/index.js';

/** A message of the user, for streams of input. */
export function says(content: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more };
}

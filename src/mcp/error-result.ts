import type { CallToolResult } from './types.js';

/** A failure that the model reads and can act on. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

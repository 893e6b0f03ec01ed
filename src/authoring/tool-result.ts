import { messageOf } from '../protocol/errors.js';
import type { CallToolResult } from '../protocol/mcp.js';

/** Whatever a handler returned, as the result that MCP knows. */
export function toolResultOf(returned: unknown): CallToolResult {
  if (isCallToolResult(returned)) return returned;
  if (returned === undefined) return { content: [] };
  if (typeof returned === 'string') return textResult(returned);
  try {
    return textResult(JSON.stringify(returned) ?? String(returned));
  } catch (error) {
    return errorResult(`The tool returned a value that cannot be written as JSON: ${messageOf(error)}`);
  }
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A failure that the model reads and can act on. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function isCallToolResult(value: unknown): value is CallToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}

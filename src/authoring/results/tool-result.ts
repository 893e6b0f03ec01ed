import { messageOf } from '../../protocol/errors.js';
import type { CallToolResult, McpContentBlock } from '../../protocol/mcp.js';
import { base64Of, binaryContent } from './content.js';

/** Whatever a handler returned, as the result that MCP knows. Never throws: what cannot be sent is a failed result. */
export function toolResultOf(returned: unknown): CallToolResult {
  if (returned === undefined) return { content: [] };
  if (typeof returned === 'string') return textResult(returned);
  if (returned instanceof Uint8Array) return { content: [binaryContent(returned)] };
  if (isContentBlock(returned)) return checkedContent({ content: [returned] });
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isContentBlock)) {
    return checkedContent({ content: returned });
  }
  if (isCallToolResult(returned)) return checkedContent(returned);
  const json = jsonText(returned);
  return json.ok ? textResult(json.text) : errorResult(`The tool returned ${json.problem}`);
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A failure that the model reads and can act on. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** JSON of any value. A BigInt becomes its digits; what has no JSON at all is a problem to report. */
export function jsonText(value: unknown): { ok: true; text: string } | { ok: false; problem: string } {
  if (typeof value === 'bigint') return { ok: true, text: String(value) };
  try {
    const text = JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
    if (text !== undefined) return { ok: true, text };
    return { ok: false, problem: `a ${typeof value}, which cannot be sent to the model.` };
  } catch (error) {
    return { ok: false, problem: `a value that cannot be written as JSON: ${messageOf(error)}` };
  }
}

export function isCallToolResult(value: unknown): value is CallToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}

/** What each kind of block must have; bytes in `data` are turned into base64 on the way. */
const REQUIRED: Record<McpContentBlock['type'], readonly string[]> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: ['resource'],
};

function isContentBlock(value: unknown): value is McpContentBlock {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const required = REQUIRED[value.type as McpContentBlock['type']];
  return required?.every((field) => field in value) ?? false;
}

function checkedContent(result: CallToolResult): CallToolResult {
  const bad = result.content.findIndex((block) => !isContentBlock(block));
  if (bad !== -1) {
    const shown = jsonText(result.content[bad]);
    return errorResult(
      `The tool returned a result whose content[${bad}] is no content block: ${(shown.ok ? shown.text : shown.problem).slice(0, 200)}`,
    );
  }
  const whole = jsonText(result.structuredContent ?? null);
  if (!whole.ok) return errorResult(`The tool returned structured content that is ${whole.problem}`);
  return { ...result, content: result.content.map(withBase64) };
}

function withBase64(block: McpContentBlock): McpContentBlock {
  if (block.type !== 'image' && block.type !== 'audio') return block;
  const data: unknown = block.data;
  return data instanceof Uint8Array ? { ...block, data: base64Of(data) } : block;
}

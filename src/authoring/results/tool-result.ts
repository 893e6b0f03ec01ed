import { errorResult } from '../../mcp/error-result.js';
import type { CallToolResult, McpContentBlock } from '../../mcp/types.js';
import { messageOf } from '../../protocol/base/errors.js';
import { kindOf } from '../../protocol/base/kinds.js';
import { base64Of, binaryContent } from './content.js';

/** Turns whatever a handler returned into an MCP result. Never throws: what cannot be sent is a failed result. */
export function toolResultOf(returned: unknown): CallToolResult {
  if (returned === undefined) return { content: [] };
  if (typeof returned === 'string') return textResult(returned);
  // JSON cannot express NaN and Infinity.
  if (typeof returned === 'number') return textResult(String(returned));
  if (returned instanceof Error) return errorResult(messageOf(returned));
  if (returned instanceof ArrayBuffer) return { content: [binaryContent(new Uint8Array(returned))] };
  if (returned instanceof Uint8Array) return { content: [binaryContent(returned)] };
  if (isContentBlock(returned)) return checkedContent({ content: [returned] });
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isContentBlock)) {
    return checkedContent({ content: returned });
  }
  if (isCallToolResult(returned)) return checkedContent(returned);
  const json = jsonText(returned);
  return json.ok ? textResult(json.text) : errorResult(`The tool returned ${json.problem}`);
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** Any value as JSON. What JSON would lose is kept as well as possible; what has no JSON form at all is a problem. */
export function jsonText(value: unknown): { ok: true; text: string } | { ok: false; problem: string } {
  if (typeof value === 'bigint') return { ok: true, text: String(value) };
  try {
    const text = JSON.stringify(value, inJson);
    if (text !== undefined) return { ok: true, text };
    return { ok: false, problem: `${kindOf(value)}, which cannot be sent to the model.` };
  } catch (error) {
    return { ok: false, problem: `a value that cannot be written as JSON: ${messageOf(error)}` };
  }
}

/** A BigInt becomes its digits; a Map or Set would become `{}`. */
function inJson(_key: string, part: unknown): unknown {
  if (typeof part === 'bigint') return String(part);
  if (part instanceof Set) return [...part];
  if (!(part instanceof Map)) return part;
  const isObject = [...part.keys()].every((key) => typeof key === 'string');
  return isObject ? Object.fromEntries(part) : [...part];
}

export function isCallToolResult(value: unknown): value is CallToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}

/** What each kind of block must have; bytes in `data` become base64. */
const REQUIRED: Record<
  McpContentBlock['type'],
  readonly (readonly [field: string, fits: (value: unknown) => boolean])[]
> = {
  text: [['text', isString]],
  image: [
    ['data', isBinary],
    ['mimeType', isString],
  ],
  audio: [
    ['data', isBinary],
    ['mimeType', isString],
  ],
  resource_link: [
    ['uri', isString],
    ['name', isString],
  ],
  resource: [['resource', isResourceContents]],
};

export function isContentBlock(value: unknown): value is McpContentBlock {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const type = value.type as McpContentBlock['type'];
  if (!Object.hasOwn(REQUIRED, type)) return false;
  return REQUIRED[type].every(([field, fits]) => fits((value as unknown as Record<string, unknown>)[field]));
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isBinary(value: unknown): boolean {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function isResourceContents(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, text, blob } = value as Record<string, unknown>;
  return typeof uri === 'string' && (typeof text === 'string' || isBinary(blob));
}

function checkedContent(result: CallToolResult): CallToolResult {
  const bad = result.content.findIndex((block) => !isContentBlock(block));
  if (bad !== -1) {
    const shown = jsonText(result.content[bad]);
    return errorResult(
      `The tool returned a result whose content[${bad}] is not a content block: ${(shown.ok ? shown.text : shown.problem).slice(0, 200)}`,
    );
  }
  try {
    const fields = asJson(result, 'content');
    if (result.content.length > 0 || fields.structuredContent === undefined) {
      return { ...fields, content: result.content.map((block) => asJson(withBase64(block))) };
    }
    // MCP asks for structured content as text, too, for clients that read only text.
    return { ...fields, content: [{ type: 'text', text: JSON.stringify(fields.structuredContent) }] };
  } catch (error) {
    return errorResult(`The tool returned a value that cannot be written as JSON: ${messageOf(error)}`);
  }
}

/** The part of a value that JSON can carry, which is nearly always the value itself. Strings may be long and are kept. */
function asJson<Value extends object>(value: Value, except?: keyof Value): Value {
  let copy: Record<string, unknown> | undefined;
  for (const key in value) {
    const part: unknown = value[key];
    if (typeof part === 'string' || key === except || !Object.hasOwn(value, key)) continue;
    copy ??= { ...value } as Record<string, unknown>;
    const json = JSON.stringify(part, inJson);
    if (json === undefined) delete copy[key];
    else copy[key] = JSON.parse(json);
  }
  return (copy ?? value) as Value;
}

function withBase64(block: McpContentBlock): McpContentBlock {
  if (block.type === 'image' || block.type === 'audio') return { ...block, data: base64Of(block.data) };
  if (block.type !== 'resource' || !('blob' in block.resource)) return block;
  return { ...block, resource: { ...block.resource, blob: base64Of(block.resource.blob) } };
}

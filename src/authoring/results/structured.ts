import { errorResult } from '../../mcp/error-result.js';
import type { CallToolResult } from '../../mcp/types.js';
import type { CompiledSchema } from '../schema/compile.js';
import { isCallToolResult, isContentBlock, jsonText, toolResultOf } from './tool-result.js';

/** With an output schema, the value is checked and sent both as structured content and as text. */
export async function structuredResultOf(returned: unknown, output: CompiledSchema): Promise<CallToolResult> {
  const whole = isWholeResult(returned) ? toolResultOf(returned) : undefined;
  if (whole?.isError) return whole;
  const checked = await output.checkExactly(isWholeResult(returned) ? returned.structuredContent : returned);
  if (!checked.ok) {
    return errorResult(`The tool's result does not match its output schema: ${checked.issues.join('; ')}`);
  }
  const json = jsonText(checked.value);
  if (!json.ok) return errorResult(`The tool returned ${json.problem}`);
  // As the wire would carry it: dates as text, and independent of an object that the tool may still change.
  const structuredContent = JSON.parse(json.text) as Record<string, unknown>;
  const hasBlocks = isWholeResult(returned) && returned.content.length > 0;
  if (whole !== undefined && hasBlocks) return { ...whole, structuredContent };
  return { ...whole, content: [{ type: 'text', text: json.text }], structuredContent };
}

/** A value that fits the schema may itself have a list named `content`. */
function isWholeResult(value: unknown): value is CallToolResult {
  if (!isCallToolResult(value)) return false;
  if (value.structuredContent !== undefined || value.isError === true) return true;
  return value.content.length > 0 && value.content.every(isContentBlock);
}

/** Where the structure goes when it cannot travel beside the text. */
const META_KEY = 'tenon/structuredContent';

/**
 * For the Claude Code CLI, which shows the model only the structured content and drops every other block. Nothing is
 * lost if the only text says the same; otherwise (other text, an image) the blocks stay, the structure becomes one
 * more text among them, and `_meta` keeps it whole.
 */
export function keepBlocksBesideStructure(result: CallToolResult): CallToolResult {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined) return result;
  const json = JSON.stringify(structuredContent);
  const isSame = (text: string): boolean => text === json || sameJson(text, json);
  const isAlreadyText = result.content.some((block) => block.type === 'text' && isSame(block.text));
  const more = result.content.some((block) => block.type !== 'text' || !isSame(block.text));
  if (!more) return result;
  return {
    ...rest,
    content: isAlreadyText ? result.content : [...result.content, { type: 'text', text: json }],
    _meta: { ...result._meta, [META_KEY]: structuredContent },
  };
}

function sameJson(text: string, json: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}

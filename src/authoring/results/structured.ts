import type { CallToolResult } from '../../protocol/mcp.js';
import type { CompiledSchema } from '../schema/compile.js';
import { errorResult, isCallToolResult, jsonText, toolResultOf } from './tool-result.js';

/** A tool with an output schema: its value is checked and goes out as structure and as text. */
export async function structuredResultOf(returned: unknown, output: CompiledSchema): Promise<CallToolResult> {
  const whole = isCallToolResult(returned) ? toolResultOf(returned) : undefined;
  if (whole?.isError) return whole;
  const checked = await output.check(whole === undefined ? returned : whole.structuredContent);
  if (!checked.ok) {
    return errorResult(`The tool's result does not match its output schema: ${checked.issues.join('; ')}`);
  }
  const structuredContent = checked.value as Record<string, unknown>;
  const json = jsonText(structuredContent);
  if (!json.ok) return errorResult(`The tool returned ${json.problem}`);
  if (whole !== undefined && whole.content.length > 0) return { ...whole, structuredContent };
  return { ...whole, content: [{ type: 'text', text: json.text }], structuredContent };
}

/** Where the structure goes when it cannot travel beside the text. */
const META_KEY = 'tenon/structuredContent';

/**
 * For the Claude Code CLI, which shows the model only the structure and drops every other block. A text that says
 * the same is no loss; anything else (other words, an image) is. Then the blocks stay, the structure is one more
 * text among them, and it is kept whole in `_meta`.
 */
export function keepBlocksBesideStructure(result: CallToolResult): CallToolResult {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined) return result;
  const json = JSON.stringify(structuredContent);
  const isSame = (text: string): boolean => text === json || sameJson(text, json);
  const said = result.content.some((block) => block.type === 'text' && isSame(block.text));
  const more = result.content.some((block) => block.type !== 'text' || !isSame(block.text));
  if (!more) return result;
  return {
    ...rest,
    content: said ? result.content : [...result.content, { type: 'text', text: json }],
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

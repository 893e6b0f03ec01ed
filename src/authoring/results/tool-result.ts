import { errorResult } from '../../mcp/error-result.js';
import type { CallToolResult } from '../../mcp/types.js';
import { messageOf } from '../../protocol/base/errors.js';
import { kindOf } from '../../protocol/base/kinds.js';
import type { CompiledSchema } from '../schema/compile.js';
import type { ToolContext } from '../tool/tool-context.js';
import { binaryContent, isContentBlock, withBase64 } from './content.js';

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
function jsonText(value: unknown): { ok: true; text: string } | { ok: false; problem: string } {
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

function isCallToolResult(value: unknown): value is CallToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
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

export function isTextStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Parts are reported as they arrive; the whole text is the result. A cancelled call abandons the stream. */
export async function textOfStream(
  stream: AsyncIterable<unknown>,
  { signal, reportProgress }: Pick<ToolContext, 'signal' | 'reportProgress'>,
): Promise<string> {
  const parts = stream[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const letGo = (): void => {
    // A stream that is stuck may never notice, and nobody is interested in a failure now.
    void Promise.resolve(parts.return?.()).catch(() => {});
  };
  signal.addEventListener('abort', letGo);
  let text = '';
  try {
    for (;;) {
      const { done, value } = await parts.next();
      if (done === true || signal.aborted) return text + decoder.decode();
      const part = textOf(value, decoder);
      text += part;
      reportProgress(text.length, undefined, part);
    }
  } catch (error) {
    if (text === '') throw error;
    throw new Error(`${messageOf(error)}\n\nWhat came before:\n${text}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', letGo);
  }
}

/** Bytes are UTF-8, and a character may be split between two parts. */
function textOf(part: unknown, decoder: InstanceType<typeof TextDecoder>): string {
  if (typeof part === 'string') return part;
  if (part instanceof Uint8Array) return decoder.decode(part, { stream: true });
  const json = jsonText(part);
  return json.ok ? json.text : String(part);
}

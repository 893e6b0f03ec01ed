import type { CallToolResult, ToolAnnotations } from '../protocol/mcp.js';
import { checkToolName } from './names.js';
import { type CompiledSchema, compileSchema, invalidTool } from './schema/compile.js';
import type { InferInput, InputSchema, RawShape } from './schema/input-schema.js';
import type { ToolContext } from './tool-context.js';

/** What a handler may return: a whole `CallToolResult`, or a plain value that becomes its text. */
export type ToolReturn = CallToolResult | string | number | boolean | null | undefined | object;

export interface SdkMcpToolDefinition<Schema extends InputSchema = RawShape> {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  handler: (args: InferInput<Schema>, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
}

/** Any tool, whatever its schema: what a server takes. */
// Method syntax: a handler that wants its own arguments must still fit into a list of tools of all kinds.
export interface AnyTool {
  name: string;
  description: string;
  inputSchema: InputSchema;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  handler(args: never, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

export interface ToolExtras {
  annotations?: ToolAnnotations | undefined;
  /** Words by which the agent finds the tool when tools are loaded on demand. */
  searchHint?: string | undefined;
  /** Put the tool into every prompt instead of loading it on demand. */
  alwaysLoad?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/**
 * Defines a tool. The handler runs in this process; its arguments are typed from the schema and checked before it
 * is called. A bad name or schema is refused here, not when a model first calls it.
 */
export function tool<Schema extends InputSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferInput<Schema>, context: ToolContext) => ToolReturn | Promise<ToolReturn>,
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Schema> {
  const definition: SdkMcpToolDefinition<Schema> = { name, description, inputSchema, handler };
  if (extras.annotations !== undefined) definition.annotations = extras.annotations;
  const meta = metaOf(extras);
  if (meta !== undefined) definition._meta = meta;
  prepareTool(definition);
  return definition;
}

function metaOf(extras: ToolExtras): Record<string, unknown> | undefined {
  const meta = { ...extras._meta };
  if (extras.searchHint !== undefined) meta['anthropic/searchHint'] = extras.searchHint;
  if (extras.alwaysLoad === true) meta['anthropic/alwaysLoad'] = true;
  return Object.keys(meta).length > 0 ? meta : undefined;
}

const prepared = new WeakMap<object, CompiledSchema>();

/** Checks a definition and compiles its schema, once per definition. */
export function prepareTool(definition: AnyTool): CompiledSchema {
  const known = prepared.get(definition);
  if (known !== undefined) return known;
  checkToolName(definition.name);
  if (typeof definition.handler !== 'function') {
    throw invalidTool(definition.name, 'its handler must be a function.');
  }
  if (typeof definition.inputSchema !== 'object' && typeof definition.inputSchema !== 'function') {
    throw invalidTool(definition.name, 'it needs an input schema; for a tool without arguments give {}.');
  }
  const compiled = compileSchema(definition.name, definition.inputSchema ?? {});
  prepared.set(definition, compiled);
  return compiled;
}

import type { CallToolResult, ToolAnnotations } from '../../mcp/types.js';
import { type CompiledSchema, compileSchema, invalidTool } from '../schema/compile.js';
import type { InferInput, InferResult, InputSchema, RawShape } from '../schema/input-schema.js';
import { type Concurrency, checkConcurrency, checkMaxResultChars, checkTimeout, Limiter } from './limits.js';
import { checkToolName } from './names.js';
import type { ToolContext } from './tool-context.js';

/**
 * What a handler may return: a whole `CallToolResult`, parts of one (`content.image(…)`), bytes, a stream of text, or
 * any value that becomes its text.
 */
export type ToolReturn =
  | CallToolResult
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | object
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to return compiles too.
  | void;

/** With an output schema, a handler returns what the schema describes, or a whole result. */
export type HandlerReturn<Output extends InputSchema> = [Output] extends [never]
  ? ToolReturn
  : InferResult<Output> | CallToolResult;

export type ToolHandler<Schema extends InputSchema, Output extends InputSchema = never> = (
  args: InferInput<Schema>,
  context: ToolContext,
) => HandlerReturn<Output> | Promise<HandlerReturn<Output>>;

/** What has become of a call that was begun and never ended. */
export type Reconciled<Output extends InputSchema = never> =
  /** It has had its effect; this is what the handler would have returned. */
  | { happened: true; result: HandlerReturn<Output> }
  /** It has not, and can be made now. */
  | { happened: false };

/** Looks for a call, by `context.idempotencyKey`, without making it. If it throws, nobody knows whether it has happened. */
export type ReconcileCall<Schema extends InputSchema, Output extends InputSchema = never> = (
  args: InferInput<Schema>,
  context: ToolContext,
) => Reconciled<Output> | Promise<Reconciled<Output>>;

/** What a tool can have besides its name, schema and handler. */
export interface ToolExtras<Output extends InputSchema = never> {
  annotations?: ToolAnnotations | undefined;
  /** Words by which the agent finds the tool when tools are loaded on demand. */
  searchHint?: string | undefined;
  /** Put the tool into every prompt instead of loading it on demand. */
  alwaysLoad?: boolean | undefined;
  /** Checks the handler's value, which then goes out as structured content and as text. */
  outputSchema?: Output | undefined;
  /** The time limit of one call in milliseconds, restarted by reported progress. Default: 0, no limit. */
  timeout?: number | undefined;
  /** How many calls run at once. `'parallel'` also sets `readOnlyHint`, without which the CLI runs them one by one. */
  concurrency?: Concurrency | undefined;
  /** A longer text is cut, and the model is given a resource to read the rest from. */
  maxResultChars?: number | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface SdkMcpToolDefinition<
  Schema extends InputSchema = RawShape,
  Output extends InputSchema = never,
> extends ToolExtras<Output> {
  name: string;
  description: string;
  inputSchema: Schema;
  handler: ToolHandler<Schema, Output>;
  /** See `tool()`. */
  reconcile?: ReconcileCall<Schema, Output> | undefined;
}

/** Any tool, whatever its schemas: what a server takes. */
// Method syntax: a handler with narrower arguments must still fit into a list of tools of all kinds.
export interface AnyTool extends Omit<ToolExtras, 'outputSchema'> {
  name: string;
  description: string;
  inputSchema: InputSchema;
  outputSchema?: InputSchema | undefined;
  handler(args: never, context: ToolContext): unknown;
  reconcile?: ((args: never, context: ToolContext) => unknown) | undefined;
}

/**
 * Defines a tool. The handler runs in this process; its arguments are typed from the schema and checked before it
 * is called. A bad name or schema is refused here, not when a model first calls it.
 *
 * `reconcile`: asked by a durable conversation (`embedded({ journal })`) whether a call has happened whose program was
 * killed before it ended. Without it, and without `idempotentHint` or `readOnlyHint`, the model is told that nobody knows.
 */
export function tool<const Schema extends InputSchema, const Output extends InputSchema = never>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: ToolHandler<Schema, Output>,
  extras: ToolExtras<Output> & { reconcile?: ReconcileCall<Schema, Output> | undefined } = {},
): SdkMcpToolDefinition<Schema, Output> {
  const { searchHint, alwaysLoad, _meta, ...rest } = extras;
  const definition: SdkMcpToolDefinition<Schema, Output> = { name, description, inputSchema, handler };
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) Object.assign(definition, { [key]: value });
  }
  const meta = {
    ..._meta,
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...(alwaysLoad === true ? { 'anthropic/alwaysLoad': true } : {}),
  };
  if (Object.keys(meta).length > 0) definition._meta = meta;
  prepareTool(definition as AnyTool);
  return definition;
}

/** A definition with its schemas compiled, once for all servers and calls. */
export interface PreparedTool {
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly limiter: Limiter;
}

const prepared = new WeakMap<object, PreparedTool>();

/** Checks a definition and compiles its schemas. */
export function prepareTool(definition: AnyTool): PreparedTool {
  const known = prepared.get(definition);
  if (known !== undefined) return known;
  const { name, handler, inputSchema, outputSchema, concurrency, timeout, maxResultChars } = definition;
  const { reconcile } = definition;
  checkToolName(name);
  if (reconcile !== undefined && typeof reconcile !== 'function') {
    throw invalidTool(name, 'its `reconcile` must be a function.');
  }
  if (typeof handler !== 'function') throw invalidTool(name, 'its handler must be a function.');
  if (inputSchema === null || (typeof inputSchema !== 'object' && typeof inputSchema !== 'function')) {
    throw invalidTool(name, 'it needs an input schema; for a tool without arguments give {}.');
  }
  checkTimeout(timeout, `Tool "${name}"`);
  checkConcurrency(concurrency, `Tool "${name}"`);
  checkMaxResultChars(maxResultChars, `Tool "${name}"`);
  const tool: PreparedTool = {
    input: compileSchema(name, inputSchema),
    output: outputSchema === undefined ? undefined : compileSchema(name, outputSchema, 'output'),
    limiter: new Limiter(concurrency),
  };
  prepared.set(definition, tool);
  return tool;
}

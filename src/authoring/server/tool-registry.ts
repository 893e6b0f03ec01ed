import { RECONCILES, REPEATABLE } from '../../mcp/durable-meta.js';
import type { ListedTool, ObjectSchema, ToolAnnotations } from '../../mcp/types.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import { MARK_ROOM } from '../results/cut-result.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { flattenRootUnion } from '../schema/root-union.js';
import { checkQualifiedName } from '../tool/names.js';
import { type AnyTool, prepareTool } from '../tool/tool.js';

export interface ToolDefaults {
  alwaysLoad: boolean;
  maxResultChars: number | undefined;
}

/** Who lists: the Claude Code CLI needs unions at the root made flat; other clients get the schema as it is. */
export type Audience = 'claude-code' | 'any';

/** The tools of one server, by name. */
export class ToolRegistry {
  readonly #serverName: string;
  readonly #defaults: ToolDefaults;
  #tools = new Map<string, AnyTool>();

  constructor(serverName: string, defaults: ToolDefaults) {
    this.#serverName = serverName;
    this.#defaults = defaults;
  }

  get names(): string[] {
    return [...this.#tools.keys()];
  }

  get(name: string): AnyTool | undefined {
    return this.#tools.get(name);
  }

  add(tool: AnyTool): void {
    this.#check(tool, this.#tools);
    this.#tools.set(tool.name, tool);
  }

  remove(name: string): boolean {
    return this.#tools.delete(name);
  }

  /** All or nothing: a bad tool leaves the old set in place. */
  replace(tools: readonly AnyTool[]): void {
    const next = new Map<string, AnyTool>();
    for (const tool of tools) {
      this.#check(tool, next);
      next.set(tool.name, tool);
    }
    this.#tools = next;
  }

  maxResultChars(tool: AnyTool): number | undefined {
    return tool.maxResultChars ?? this.#defaults.maxResultChars;
  }

  /** Then the server has resources: what was cut can be read on. */
  get cutsResults(): boolean {
    return [...this.#tools.values()].some((tool) => this.maxResultChars(tool) !== undefined);
  }

  /** As a client lists them; a promise only where a schema's converter is still being loaded. */
  list(audience: Audience): ListedTool[] | Promise<ListedTool[]> {
    const entries = [...this.#tools.values()].map((tool) => {
      const { input, output } = prepareTool(tool);
      return { tool, schemas: [input.jsonSchema, output?.jsonSchema] as const };
    });
    const isWaiting = entries.some(({ schemas }) => schemas.some((schema) => schema instanceof Promise));
    if (!isWaiting) {
      return entries.map(({ tool, schemas }) =>
        this.#listed(tool, schemas as readonly [JsonSchema, JsonSchema | undefined], audience),
      );
    }
    const listings = entries.map(async ({ tool, schemas: [input, output] }) => {
      try {
        return this.#listed(tool, [await input, await output], audience);
      } catch (error) {
        // One tool that cannot be listed must not hide the others.
        emitWarning(`Tool "${tool.name}" is left out: its schema cannot be converted: ${messageOf(error)}`);
        return undefined;
      }
    });
    return Promise.all(listings).then((all) => all.filter((listed) => listed !== undefined));
  }

  #listed(
    tool: AnyTool,
    [input, output]: readonly [JsonSchema, JsonSchema | undefined],
    audience: Audience,
  ): ListedTool {
    const listed: ListedTool = {
      name: tool.name,
      description: tool.description,
      inputSchema: objectRoot(audience === 'claude-code' ? flattenRootUnion(input) : input),
    };
    if (output !== undefined) listed.outputSchema = objectRoot(output);
    const annotations = annotationsOf(tool);
    if (annotations !== undefined) listed.annotations = annotations;
    const meta = this.#metaOf(tool);
    if (meta !== undefined) listed._meta = meta;
    return listed;
  }

  #metaOf(tool: AnyTool): Record<string, unknown> | undefined {
    const maxResultChars = this.maxResultChars(tool);
    const meta = {
      ...tool._meta,
      ...(this.#defaults.alwaysLoad || tool.alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
      ...(tool.searchHint === undefined ? {} : { 'anthropic/searchHint': tool.searchHint }),
      ...(maxResultChars === undefined ? {} : { 'anthropic/maxResultSizeChars': maxResultChars + MARK_ROOM }),
      ...(tool.reconcile === undefined ? {} : { [RECONCILES]: true }),
      ...(isParallel(tool) && tool.annotations?.readOnlyHint !== true ? { [REPEATABLE]: false } : {}),
    };
    return Object.keys(meta).length > 0 ? meta : undefined;
  }

  #check(tool: AnyTool, among: Map<string, AnyTool>): void {
    prepareTool(tool);
    checkQualifiedName(this.#serverName, tool.name);
    if (!among.has(tool.name)) return;
    throw new TenonError(
      'INVALID_TOOL',
      `Server "${this.#serverName}" has two tools named "${tool.name}". Give one of them another name.`,
    );
  }
}

/** The CLI runs calls at the same time only for tools with this hint. */
function annotationsOf(tool: AnyTool): ToolAnnotations | undefined {
  return isParallel(tool) ? { readOnlyHint: true, ...tool.annotations } : tool.annotations;
}

function isParallel({ concurrency }: AnyTool): boolean {
  return concurrency === 'parallel' || (typeof concurrency === 'number' && concurrency > 1);
}

/** MCP wants `type: "object"` at the root, also beside a union. */
function objectRoot(schema: JsonSchema): ObjectSchema {
  return (schema.type === 'object' ? schema : { type: 'object', ...schema }) as ObjectSchema;
}

import { type CallMiddleware, type ComposedCalls, composeCalls } from '../../mcp/call-middleware.js';
import { connectTransport } from '../../mcp/link/connect-transport.js';
import type { ClientEnd } from '../../mcp/link/ends.js';
import {
  type InitializeResult,
  type ListedTool,
  type ManyConnectionsServer,
  type McpSdkServerConfigWithInstance,
  type McpTransport,
  manyConnections,
} from '../../mcp/types.js';
import { LATEST_PROTOCOL_VERSION } from '../../mcp/versions.js';
import { OptionError } from '../../protocol/base/errors.js';
import { LongResults } from '../results/cut-result.js';
import type { InputSchema, RawShape } from '../schema/input-schema.js';
import {
  type Concurrency,
  checkConcurrency,
  checkMaxResultChars,
  checkTimeout,
  Limiter,
} from '../tool/limits.js';
import { checkServerName } from '../tool/names.js';
import { type AnyTool, type ToolExtras, type ToolHandler, tool } from '../tool/tool.js';
import { type PromptDefinition, PromptRegistry } from './prompts.js';
import { type ResourceDefinition, ResourceRegistry } from './resources.js';
import { ServedClient } from './served-client.js';
import { type Audience, ToolRegistry } from './tool-registry.js';

export interface CreateSdkMcpServerOptions {
  name: string;
  version?: string | undefined;
  /** Text for the agent on how to use this server. */
  instructions?: string | undefined;
  // Not readonly: programs push to a list of this type.
  tools?: AnyTool[] | undefined;
  resources?: readonly ResourceDefinition[] | undefined;
  prompts?: readonly PromptDefinition[] | undefined;
  /** Put all of the server's tools into every prompt instead of loading them on demand. */
  alwaysLoad?: boolean | undefined;
  /** For one call, in milliseconds, where the tool has no `timeout` of its own. 0, and the default: no limit. */
  timeout?: number | undefined;
  /** How many calls of all tools together run at once; the default has no limit. */
  concurrency?: Concurrency | undefined;
  /** Where the tool has none of its own: a longer text is cut, with a resource from which the model can read on. */
  maxResultChars?: number | undefined;
  /** Around every call of its tools, whoever makes it; the first is the outermost. */
  middleware?: readonly CallMiddleware[] | undefined;
}

/** What `createSdkMcpServer` returns: a value for `mcpServers`, and the ways to change it while queries run. */
export type SdkMcpServerConfig = McpSdkServerConfigWithInstance & { instance: SdkMcpServer } & Pick<
    SdkMcpServer,
    'addTool' | 'removeTool' | 'setTools'
  >;

/**
 * Makes an in-process MCP server: a value for `mcpServers`. It is a definition, not a connection: any number of
 * queries may share it, one after another or at the same time.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): SdkMcpServerConfig {
  const instance = new SdkMcpServer(options);
  const config = { type: 'sdk' as const, name: options.name, instance } as SdkMcpServerConfig;
  if (options.timeout !== undefined && options.timeout > 0) config.timeout = options.timeout;
  // Not enumerable: the value is compared, spread and printed as { type, name, instance }.
  for (const method of ['addTool', 'removeTool', 'setTools'] as const) {
    Object.defineProperty(config, method, { value: instance[method].bind(instance) });
  }
  return config;
}

/** The kinds of lists whose changes clients are told of. */
type ListKind = 'tools' | 'resources' | 'prompts';

/** The `instance` of an in-process server. Each `connect` is a connection of its own. */
export class SdkMcpServer implements ManyConnectionsServer {
  readonly [manyConnections] = true;
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly timeout: number | undefined;
  readonly middleware: ComposedCalls | undefined;
  readonly tools: ToolRegistry;
  readonly limiter: Limiter;
  // Most servers have tools only.
  #resources: ResourceRegistry | undefined;
  #prompts: PromptRegistry | undefined;
  #longResults: LongResults | undefined;
  readonly #clients = new Set<ServedClient>();
  readonly #forget = (client: ServedClient): void => void this.#clients.delete(client);

  constructor(options: CreateSdkMcpServerOptions) {
    checkServerName(options?.name);
    if (options.tools !== undefined && !Array.isArray(options.tools)) {
      throw new OptionError('tools', options.tools, `Server "${options.name}": \`tools\` must be an array.`);
    }
    const owner = `Server "${options.name}"`;
    checkConcurrency(options.concurrency, owner);
    checkTimeout(options.timeout, owner);
    checkMaxResultChars(options.maxResultChars, owner);
    this.name = options.name;
    this.version = options.version ?? '1.0.0';
    this.instructions = options.instructions;
    this.timeout = options.timeout;
    this.middleware = composeCalls(options.middleware, 'middleware');
    this.limiter = new Limiter(options.concurrency);
    this.tools = new ToolRegistry(this.name, {
      alwaysLoad: options.alwaysLoad ?? false,
      maxResultChars: options.maxResultChars,
    });
    this.tools.replace(options.tools ?? []);
    for (const resource of options.resources ?? []) this.resources.add(resource);
    for (const prompt of options.prompts ?? []) this.prompts.add(prompt);
  }

  get resources(): ResourceRegistry {
    this.#resources ??= new ResourceRegistry();
    return this.#resources;
  }

  get prompts(): PromptRegistry {
    this.#prompts ??= new PromptRegistry();
    return this.#prompts;
  }

  get longResults(): LongResults {
    this.#longResults ??= new LongResults();
    return this.#longResults;
  }

  /** Serves one MCP client until its transport closes. Can be called any number of times. */
  connect(transport: McpTransport, audience?: Audience): Promise<void> {
    return connectTransport((client) => this.open(client, audience), transport);
  }

  open(client: ClientEnd, audience: Audience = 'any'): ServedClient {
    const served = new ServedClient(this, client, audience, this.#forget);
    this.#clients.add(served);
    return served;
  }

  /** Ends all connections. Tenon itself never calls it: the server is the user's. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close()));
  }

  addTool(definition: AnyTool): void;
  addTool<const Schema extends InputSchema, const Output extends InputSchema = never>(
    name: string,
    description: string,
    inputSchema: Schema,
    handler: ToolHandler<Schema, Output>,
    extras?: ToolExtras<Output>,
  ): void;
  addTool(first: AnyTool | string, ...rest: unknown[]): void {
    const definition =
      typeof first === 'string' ? tool(first, ...(rest as [string, RawShape, ToolHandler<RawShape>])) : first;
    this.tools.add(definition as AnyTool);
    this.#changed('tools');
  }

  /** False when there was no such tool. */
  removeTool(name: string): boolean {
    const removed = this.tools.remove(name);
    if (removed) this.#changed('tools');
    return removed;
  }

  setTools(tools: readonly AnyTool[]): void {
    this.tools.replace(tools);
    this.#changed('tools');
  }

  addResource(resource: ResourceDefinition): void {
    this.resources.add(resource);
    this.#changed('resources');
  }

  removeResource(uriOrTemplate: string): boolean {
    const removed = this.resources.remove(uriOrTemplate);
    if (removed) this.#changed('resources');
    return removed;
  }

  /** Tells the clients that have subscribed to it. */
  resourceUpdated(uri: string): void {
    for (const client of this.#clients) client.resourceUpdated(uri);
  }

  addPrompt(prompt: PromptDefinition): void {
    this.prompts.add(prompt);
    this.#changed('prompts');
  }

  removePrompt(name: string): boolean {
    const removed = this.prompts.remove(name);
    if (removed) this.#changed('prompts');
    return removed;
  }

  initializeResult(protocolVersion: string = LATEST_PROTOCOL_VERSION): InitializeResult {
    const ownResources = this.#resources?.isEmpty === false;
    const hasPrompts = this.#prompts?.isEmpty === false;
    const result: InitializeResult = {
      protocolVersion,
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        ...(ownResources || this.tools.cutsResults
          ? { resources: { subscribe: true, listChanged: true } }
          : {}),
        ...(hasPrompts ? { prompts: { listChanged: true } } : {}),
        ...(ownResources || hasPrompts ? { completions: {} } : {}),
      },
      serverInfo: { name: this.name, version: this.version },
    };
    if (this.instructions !== undefined) result.instructions = this.instructions;
    return result;
  }

  listTools(audience: Audience = 'any'): ListedTool[] | Promise<ListedTool[]> {
    return this.tools.list(audience);
  }

  #changed(kind: ListKind): void {
    for (const client of this.#clients) client.listChanged(kind);
  }
}

import { OptionError, TenonError } from '../protocol/errors.js';
import type {
  InitializeResult,
  ListedTool,
  McpSdkServerConfigWithInstance,
  McpTransport,
  ObjectSchema,
} from '../protocol/mcp.js';
import { McpSession } from './mcp-session.js';
import { LATEST_PROTOCOL_VERSION } from './mcp-versions.js';
import { checkQualifiedName, checkServerName } from './names.js';
import { type AnyTool, prepareTool } from './tool.js';

export interface CreateSdkMcpServerOptions {
  name: string;
  version?: string | undefined;
  /** Text for the agent on how to use this server. */
  instructions?: string | undefined;
  tools?: readonly AnyTool[] | undefined;
  /** Put all of the server's tools into every prompt instead of loading them on demand. */
  alwaysLoad?: boolean | undefined;
  /** For one call, in milliseconds; enforced by the agent. */
  timeout?: number | undefined;
}

export type SdkMcpServerConfig = McpSdkServerConfigWithInstance & { instance: SdkMcpServer };

/**
 * Makes an in-process MCP server: a value for `mcpServers`. It is a definition, not a connection: any number of
 * queries may share it, one after another or at the same time.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): SdkMcpServerConfig {
  const instance = new SdkMcpServer(options);
  const config: SdkMcpServerConfig = { type: 'sdk', name: options.name, instance };
  if (options.timeout !== undefined) config.timeout = options.timeout;
  return config;
}

/** The `instance` of an in-process server. Each `connect` is a session of its own. */
export class SdkMcpServer {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly #tools = new Map<string, AnyTool>();
  readonly #alwaysLoad: boolean;
  readonly #sessions = new Set<McpSession>();

  constructor(options: CreateSdkMcpServerOptions) {
    checkServerName(options?.name);
    if (options.tools !== undefined && !Array.isArray(options.tools)) {
      throw new OptionError('tools', options.tools, `Server "${options.name}": \`tools\` must be an array.`);
    }
    this.name = options.name;
    this.version = options.version ?? '1.0.0';
    this.instructions = options.instructions;
    this.#alwaysLoad = options.alwaysLoad ?? false;
    for (const tool of options.tools ?? []) this.#add(tool);
  }

  /** Serves one MCP client until its transport closes. May be called any number of times. */
  async connect(transport: McpTransport): Promise<void> {
    const session = new McpSession(this, transport, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    await transport.start();
  }

  /** Ends all sessions. Tenon itself never calls it: the server is the user's. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }

  get toolNames(): string[] {
    return [...this.#tools.keys()];
  }

  tool(name: string): AnyTool | undefined {
    return this.#tools.get(name);
  }

  initializeResult(protocolVersion: string = LATEST_PROTOCOL_VERSION): InitializeResult {
    const result: InitializeResult = {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: this.name, version: this.version },
    };
    if (this.instructions !== undefined) result.instructions = this.instructions;
    return result;
  }

  /** All tools as a client lists them; a promise only where a schema's converter is still being loaded. */
  listTools(): ListedTool[] | Promise<ListedTool[]> {
    const tools = [...this.#tools.values()];
    const schemas = tools.map((tool) => prepareTool(tool).jsonSchema);
    const list = (resolved: Record<string, unknown>[]): ListedTool[] =>
      tools.map((tool, index) => this.#listed(tool, resolved[index] as ObjectSchema));
    if (schemas.some((schema) => schema instanceof Promise)) return Promise.all(schemas).then(list);
    return list(schemas as Record<string, unknown>[]);
  }

  #listed(tool: AnyTool, inputSchema: ObjectSchema): ListedTool {
    const meta = this.#alwaysLoad ? { ...tool._meta, 'anthropic/alwaysLoad': true } : tool._meta;
    const listed: ListedTool = { name: tool.name, description: tool.description, inputSchema };
    if (tool.annotations !== undefined) listed.annotations = tool.annotations;
    if (meta !== undefined) listed._meta = meta;
    return listed;
  }

  #add(tool: AnyTool): void {
    prepareTool(tool);
    checkQualifiedName(this.name, tool.name);
    if (this.#tools.has(tool.name)) {
      throw new TenonError(
        'INVALID_TOOL',
        `Server "${this.name}" has two tools named "${tool.name}". Give one of them another name.`,
      );
    }
    this.#tools.set(tool.name, tool);
  }
}

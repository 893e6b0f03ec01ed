import type { InitializeRequest } from '../protocol/control-requests.js';
import type { Host } from './host.js';
import { configuredServers } from './mcp/configured-servers.js';
import { McpHub } from './mcp/hub.js';
import type { Permissions } from './permissions.js';
import { DEFAULT_DEFER_ABOVE, type RuntimeConfig, type RuntimeStart } from './runtime-config.js';
import { offeredTools } from './tools/offered-tools.js';
import { StructuredOutput } from './tools/structured-output.js';
import type { RuntimeTool } from './tools/tool-port.js';
import { ToolSearch } from './tools/tool-search.js';

/** The tools of a conversation, wherever they come from: its MCP servers, and the runtime's own. */
export class SessionTools {
  readonly hub: McpHub;
  structured: StructuredOutput | undefined;
  readonly #start: RuntimeStart;
  readonly #permissions: Permissions;
  readonly #search: ToolSearch;

  constructor(config: RuntimeConfig, start: RuntimeStart, host: Host, permissions: Permissions) {
    this.#start = start;
    this.#permissions = permissions;
    this.hub = new McpHub({
      host,
      cwd: start.cwd,
      additionalDirectories: start.flags.addDirectories,
      env: start.env,
      connectTimeoutMs: config.mcpConnectTimeoutMs,
      reconnect: config.mcpReconnect,
      auth: config.mcpAuth,
      onLog: config.onMcpLog,
    });
    this.#search = new ToolSearch(() => this.all(), config.deferAbove ?? DEFAULT_DEFER_ABOVE);
    this.#useSchema(start.flags.jsonSchema);
    for (const { name, config } of configuredServers(start)) this.hub.addAtStart(name, config);
  }

  /** Takes what the host has to offer; a second time adds servers. */
  initialize(request: InitializeRequest): void {
    this.#useSchema(request.jsonSchema);
    for (const name of request.sdkMcpServers ?? []) {
      const known = this.hub.get(name);
      // What the host says wins over a file that has the same name.
      if (known !== undefined && known.source.transport !== 'sdk') void this.hub.remove(name);
      if (known?.source.transport !== 'sdk') this.hub.addInProcess(name, request);
    }
  }

  /** Every tool that there is for the model now, those that it has to search for too. */
  all(): RuntimeTool[] {
    return offeredTools(this.hub, this.#permissions, this.structured?.tool, this.#start.flags.tools);
  }

  /** Those that the next request names. */
  selected(): RuntimeTool[] {
    return this.#search.select(this.all());
  }

  find(name: string): RuntimeTool | undefined {
    return [...this.all(), this.#search.tool].find((tool) => tool.name === name);
  }

  #useSchema(schema: Record<string, unknown> | undefined): void {
    if (schema !== undefined) this.structured = new StructuredOutput(schema);
  }
}

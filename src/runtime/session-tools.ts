import type { InitializeRequest } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import { LIMITS } from '../protocol/limits.js';
import type { McpServerConfigForProcessTransport } from '../protocol/mcp.js';
import type { McpSetServersResult } from '../protocol/mcp-status.js';
import type { Host } from './host.js';
import { McpHub } from './mcp/hub.js';
import { inProcessSource } from './mcp/in-process-source.js';
import { processSource } from './mcp/process-source.js';
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
  readonly #host: Host;
  readonly #permissions: Permissions;
  readonly #search: ToolSearch;

  constructor(config: RuntimeConfig, start: RuntimeStart, host: Host, permissions: Permissions) {
    this.#start = start;
    this.#host = host;
    this.#permissions = permissions;
    this.hub = new McpHub(config.mcpConnectTimeoutMs ?? LIMITS.proxyConnectMs, async () => {
      throw new Error('Method not found');
    });
    this.#search = new ToolSearch(() => this.all(), config.deferAbove ?? DEFAULT_DEFER_ABOVE);
    this.#useSchema(start.flags.jsonSchema);
    for (const [name, server] of Object.entries(start.flags.mcpServers)) this.#addServer(name, server);
  }

  /** Takes what the host has to offer; a second time adds servers. */
  initialize(request: InitializeRequest): void {
    this.#useSchema(request.jsonSchema);
    for (const name of request.sdkMcpServers ?? []) {
      if (this.hub.get(name) === undefined) this.hub.add(inProcessSource(name, request, this.#host));
    }
  }

  /** Replaces the servers: those that are named stay as they are, new ones are connected, the others go. */
  async setServers(
    servers: Record<string, McpServerConfigForProcessTransport>,
  ): Promise<McpSetServersResult> {
    const removed = this.hub.names.filter((name) => !(name in servers));
    await Promise.all(removed.map((name) => this.hub.remove(name)));
    const added = Object.keys(servers).filter((name) => this.hub.get(name) === undefined);
    const errors: Record<string, string> = {};
    for (const name of added) {
      try {
        this.#addServer(name, servers[name] as McpServerConfigForProcessTransport);
      } catch (error) {
        errors[name] = messageOf(error);
      }
    }
    return { added: added.filter((name) => !(name in errors)), removed, errors };
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

  #addServer(name: string, config: McpServerConfigForProcessTransport): void {
    this.hub.add(config.type === 'sdk' ? inProcessSource(name, {}, this.#host) : processSource(name, config));
  }

  #useSchema(schema: Record<string, unknown> | undefined): void {
    if (schema !== undefined) this.structured = new StructuredOutput(schema);
  }
}

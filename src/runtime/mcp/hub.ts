import type { JsonRpcRequest } from '../../protocol/mcp.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';
import { mcpTool } from '../tools/mcp-tool.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import { McpServerConnection, type McpServerSource } from './mcp-server-connection.js';

/** All MCP servers of a conversation as one set of named connections. They connect beside each other. */
export class McpHub {
  readonly #connections = new Map<string, McpServerConnection>();
  readonly #connecting = new Map<string, Promise<void>>();
  readonly #connectTimeoutMs: number;
  readonly #serve: (serverName: string, request: JsonRpcRequest) => Promise<Record<string, unknown>>;

  constructor(
    connectTimeoutMs: number,
    serve: (serverName: string, request: JsonRpcRequest) => Promise<Record<string, unknown>>,
  ) {
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#serve = serve;
  }

  add(source: McpServerSource): void {
    const connection = new McpServerConnection(source, this.#connectTimeoutMs, (request) =>
      this.#serve(source.name, request),
    );
    this.#connections.set(source.name, connection);
    this.#connect(connection);
  }

  /** Connected servers that say that they have resources. */
  withResources(): string[] {
    return [...this.#connections.values()]
      .filter(
        ({ state, handshake }) => state === 'connected' && handshake?.capabilities.resources !== undefined,
      )
      .map(({ source }) => source.name);
  }

  get(name: string): McpServerConnection | undefined {
    return this.#connections.get(name);
  }

  get names(): string[] {
    return [...this.#connections.keys()];
  }

  /** Resolves when every server is connected or has failed; each has its own time limit. */
  async settled(): Promise<void> {
    await Promise.all(this.#connecting.values());
  }

  /** Resolves when the servers that said that their tools have changed have listed them again. */
  async relisted(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.relisted()));
  }

  async remove(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    await connection?.disconnect('disabled');
  }

  async reconnect(name: string): Promise<void> {
    const { source } = this.required(name);
    await this.remove(name);
    // What was given in advance may be out of date by now.
    this.add({ ...source, manifest: undefined });
    await this.#connecting.get(name);
    const { state, error } = this.required(name);
    if (state !== 'connected') throw new Error(error ?? `Server "${name}" did not connect.`);
  }

  async toggle(name: string, enabled: boolean): Promise<void> {
    if (enabled) await this.reconnect(name);
    else await this.required(name).disconnect('disabled');
  }

  status(): McpServerStatus[] {
    return [...this.#connections.values()].map((connection) => connection.status());
  }

  /** What servers want the model to know. Sorted: one that connects anew must not change the beginning of the prompt. */
  instructions(): string[] {
    return this.names.sort().flatMap((name) => {
      const said = this.get(name)?.handshake?.instructions;
      return said === undefined ? [] : [`# Instructions of the MCP server "${name}"\n${said}`];
    });
  }

  tools(): RuntimeTool[] {
    return [...this.#connections.values()].flatMap((connection) =>
      connection.tools.map((listed) => mcpTool(connection, listed)),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((name) => this.remove(name)));
  }

  #connect(connection: McpServerConnection): void {
    const { name } = connection.source;
    const done = connection.connect().finally(() => {
      if (this.#connecting.get(name) === done) this.#connecting.delete(name);
    });
    this.#connecting.set(name, done);
  }

  /** Throws for a name that no server has. */
  required(name: string): McpServerConnection {
    const connection = this.#connections.get(name);
    if (connection === undefined) throw new Error(`Server not found: ${name}`);
    return connection;
  }
}

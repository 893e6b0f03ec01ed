import { SdkMcpServer } from '../../authoring/sdk-mcp-server.js';
import type { Cancellation } from '../../protocol/cancellation.js';
import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/control-requests.js';
import type {
  JsonRpcMessage,
  McpSdkServerConfig,
  McpSdkServerConfigWithInstance,
  McpServerInstance,
} from '../../protocol/mcp.js';
import { connectServer } from './connect-server.js';
import type { McpAnswer, McpPeer, ServerConnection } from './server-connection.js';

/**
 * The in-process servers of one conversation. Each gets a connection of its own to the user's server value, so one
 * value can serve any number of conversations: ours from the start, others when the agent first speaks to them.
 */
export class InProcessServers {
  #configs: Record<string, McpSdkServerConfigWithInstance>;
  readonly #connections = new Map<string, ServerConnection>();
  readonly #peerOf: (serverName: string) => McpPeer;
  #closed = false;

  constructor(
    configs: Record<string, McpSdkServerConfigWithInstance>,
    peerOf: (serverName: string) => McpPeer,
  ) {
    this.#configs = configs;
    this.#peerOf = peerOf;
  }

  get names(): string[] {
    return Object.keys(this.#configs);
  }

  get isEmpty(): boolean {
    return this.names.length === 0;
  }

  /** Undefined where no server here has that name. */
  instanceOf(name: string): McpServerInstance | undefined {
    return Object.hasOwn(this.#configs, name) ? this.#configs[name]?.instance : undefined;
  }

  /** Their entries for `mcp_set_servers`, with the limits and rules that `initialize` would have said. */
  onWire(): Record<string, McpSdkServerConfig> {
    return Object.fromEntries(
      Object.entries(this.#configs).map(([name, config]) => [
        name,
        { type: 'sdk', name, ...settingsOf(config) },
      ]),
    );
  }

  /** What `initialize` says of them: names, limits, and the handshake's answers where they are known already. */
  announcement(): InitializeRequest {
    const { names } = this;
    if (names.length === 0) return {};
    const manifests: Record<string, SdkMcpServerManifest> = {};
    const configs: NonNullable<InitializeRequest['sdkMcpServerConfigs']> = {};
    for (const [name, config] of Object.entries(this.#configs)) {
      const manifest = manifestOf(config);
      if (manifest !== undefined) manifests[name] = manifest;
      const settings = settingsOf(config);
      if (Object.keys(settings).length > 0) configs[name] = settings;
    }
    return {
      sdkMcpServers: names,
      ...(Object.keys(manifests).length > 0 ? { sdkMcpServerManifests: manifests } : {}),
      ...(Object.keys(configs).length > 0 ? { sdkMcpServerConfigs: configs } : {}),
    };
  }

  /** One message of the agent, and what to answer: every message gets an answer, notifications too. */
  receive(serverName: string, message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    const connection = this.#connections.get(serverName) ?? this.#connect(serverName);
    return connection.receive(message, cancellation);
  }

  /** Our own servers are connected from the start, so that a change of their tools reaches this conversation. */
  connectOwn(): void {
    for (const [name, config] of Object.entries(this.#configs)) {
      if (config.instance instanceof SdkMcpServer && !this.#connections.has(name)) this.#connect(name);
    }
  }

  #connect(name: string): ServerConnection {
    const instance = this.instanceOf(name);
    if (instance === undefined) throw new Error(`SDK MCP server not found: ${name}`);
    if (this.#closed) throw new Error(`The conversation with SDK MCP server "${name}" has ended.`);
    const connection = connectServer(name, instance, this.#peerOf(name));
    this.#connections.set(name, connection);
    return connection;
  }

  /** Ends the connection to one server; the next message makes a new one. */
  disconnect(name: string): void {
    this.#connections.get(name)?.close();
    this.#connections.delete(name);
    this.connectOwn();
  }

  /** The agent knew another server by this name, and may still think that it has that one's tools. */
  announceChange(name: string): void {
    this.#peerOf(name).notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  /** Replaces the set; connections of servers that stay the same value live on. Returns the set before. */
  replace(
    configs: Record<string, McpSdkServerConfigWithInstance>,
  ): Record<string, McpSdkServerConfigWithInstance> {
    const before = this.#configs;
    for (const [name, config] of Object.entries(before)) {
      if (configs[name]?.instance === config.instance) continue;
      this.#connections.get(name)?.close();
      this.#connections.delete(name);
    }
    this.#configs = configs;
    this.connectOwn();
    return before;
  }

  /** Closes the connections. The servers themselves are the user's and stay. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}

/** What the agent is told of a server beside its name. */
function settingsOf({
  instance,
  timeout,
  tools,
}: McpSdkServerConfigWithInstance): Pick<McpSdkServerConfigWithInstance, 'timeout' | 'tools'> {
  // Our own servers watch their time themselves: the CLI's clock knows neither progress nor the limit of one tool.
  const isWatched = instance instanceof SdkMcpServer && instance.timeout === timeout;
  return {
    ...(timeout === undefined || isWatched ? {} : { timeout }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Only our own servers are known without asking; others are asked by the agent itself. */
function manifestOf({ instance }: McpSdkServerConfigWithInstance): SdkMcpServerManifest | undefined {
  if (!(instance instanceof SdkMcpServer)) return undefined;
  const tools = instance.listTools('claude-code');
  if (tools instanceof Promise) return undefined;
  return { initializeResult: instance.initializeResult(), toolsListResult: { tools } };
}

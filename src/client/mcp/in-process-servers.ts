import { SdkMcpServer } from '../../authoring/server/sdk-mcp-server.js';
import { type CallMiddleware, type ComposedCalls, composeCalls } from '../../mcp/call-middleware.js';
import type { AgentConnection, McpAnswer, McpHost } from '../../mcp/in-process/agent-connection.js';
import { connectServer } from '../../mcp/in-process/agent-connection.js';
import { mcpToolName, mcpToolPrefix } from '../../mcp/tool-names.js';
import type {
  JsonRpcMessage,
  McpSdkServerConfig,
  McpSdkServerConfigWithInstance,
  McpServerInstance,
} from '../../mcp/types.js';
import type { Cancellation } from '../../protocol/base/cancellation.js';
import { OptionError } from '../../protocol/base/errors.js';
import { setOwn } from '../../protocol/base/kinds.js';
import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/wire/control-requests.js';
import { callThrough, isToolCall } from './tool-middleware.js';

/** Another set of servers, until it is certain. Exactly one of the two is called, once. */
export interface Replacement {
  /** The agent has taken it: what is no longer in the set is disconnected. */
  keep(): void;
  /** The agent has refused it: everything is as it was, calls that are running included. */
  undo(): void;
}

/**
 * The in-process servers of one conversation. The conversation has its own connection to each of the user's
 * server values, so one value can serve any number of them: ours from the start, others when the agent first
 * contacts them.
 */
export class InProcessServers {
  #configs: Record<string, McpSdkServerConfigWithInstance>;
  readonly #connections = new Map<string, AgentConnection>();
  /** Those of servers that are being replaced or removed. */
  #leaving: ReadonlyMap<string, AgentConnection> | undefined;
  readonly #toolMiddleware: ComposedCalls | undefined;
  #hostFor: ((serverName: string) => McpHost) | undefined;

  constructor(
    configs: Record<string, McpSdkServerConfigWithInstance>,
    toolMiddleware?: readonly CallMiddleware[] | null | undefined,
  ) {
    this.#configs = configs;
    checkToolNames(configs);
    this.#toolMiddleware = composeCalls(toolMiddleware, 'toolMiddleware');
  }

  get names(): string[] {
    return Object.keys(this.#configs);
  }

  get isEmpty(): boolean {
    return this.names.length === 0;
  }

  /** Undefined if no server here has that name. */
  instanceOf(name: string): McpServerInstance | undefined {
    return Object.hasOwn(this.#configs, name) ? this.#configs[name]?.instance : undefined;
  }

  /** Their entries for `mcp_set_servers`, with the limits and rules that `initialize` would announce. */
  onWire(): Record<string, McpSdkServerConfig> {
    return Object.fromEntries(
      Object.entries(this.#configs).map(([name, config]) => [
        name,
        { type: 'sdk', name, ...settingsOf(config) },
      ]),
    );
  }

  /** What `initialize` announces: names, limits, and the handshake's answers if already known. */
  announcement(): InitializeRequest {
    const { names } = this;
    if (names.length === 0) return {};
    const manifests: Record<string, SdkMcpServerManifest> = {};
    const configs: NonNullable<InitializeRequest['sdkMcpServerConfigs']> = {};
    for (const [name, config] of Object.entries(this.#configs)) {
      const manifest = manifestOf(config);
      if (manifest !== undefined) setOwn(manifests, name, manifest);
      const settings = settingsOf(config);
      if (Object.keys(settings).length > 0) setOwn(configs, name, settings);
    }
    return {
      sdkMcpServers: names,
      ...(Object.keys(manifests).length > 0 ? { sdkMcpServerManifests: manifests } : {}),
      ...(Object.keys(configs).length > 0 ? { sdkMcpServerConfigs: configs } : {}),
    };
  }

  /** Takes one message from the agent. Every message gets an answer, even a notification. */
  receive(serverName: string, message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    const connection = this.#connections.get(serverName) ?? this.#leavingOrNew(serverName);
    const calls = this.#toolMiddleware;
    if (calls === undefined || !isToolCall(message)) return connection.receive(message, cancellation);
    return callThrough(calls, message, {
      serverName,
      sessionId: connection.sessionId,
      cancellation,
      forward: (request) => connection.receive(request, cancellation),
    });
  }

  /** From now on servers can be connected; `hostFor` provides the other end for each. */
  open(hostFor: (serverName: string) => McpHost): void {
    this.#hostFor = hostFor;
    this.#connectOwn();
  }

  /** Our own servers are connected from the start, so that changes of their tools reach this conversation. */
  #connectOwn(): void {
    if (this.#hostFor === undefined) return;
    for (const [name, config] of Object.entries(this.#configs)) {
      if (config.instance instanceof SdkMcpServer && !this.#connections.has(name)) this.#connect(name);
    }
  }

  /** A removed server still hears of its running calls, until its removal is certain. */
  #leavingOrNew(name: string): AgentConnection {
    const leaving = this.instanceOf(name) === undefined ? this.#leaving?.get(name) : undefined;
    return leaving ?? this.#connect(name);
  }

  #connect(name: string): AgentConnection {
    const instance = this.instanceOf(name);
    if (instance === undefined) throw new Error(`SDK MCP server not found: ${name}`);
    if (this.#hostFor === undefined)
      throw new Error(`The conversation with SDK MCP server "${name}" has ended.`);
    const connection = connectServer(name, instance, this.#hostFor(name));
    this.#connections.set(name, connection);
    return connection;
  }

  /** Ends the connection to one server; the next message opens a new one. */
  disconnect(name: string): void {
    this.#connections.get(name)?.close();
    this.#connections.delete(name);
    this.#connectOwn();
  }

  /**
   * Replaces the set. Servers with the same value keep their connections; those that are replaced or removed
   * stay connected until the replacement is certain. One at a time.
   */
  replace(configs: Record<string, McpSdkServerConfigWithInstance>): Replacement {
    checkToolNames(configs);
    const previous = this.#configs;
    const detached = new Map(this.#connections);
    this.#configs = configs;
    for (const name of detached.keys()) {
      const isSame = this.instanceOf(name) === previous[name]?.instance;
      if (isSame) detached.delete(name);
      else this.#connections.delete(name);
    }
    this.#leaving = detached;
    this.#connectOwn();
    return {
      keep: () => {
        this.#leaving = undefined;
        for (const connection of detached.values()) connection.close();
        this.#announceChanges(previous);
      },
      undo: () => this.#restore(previous, detached),
    };
  }

  #restore(
    configs: Record<string, McpSdkServerConfigWithInstance>,
    connections: ReadonlyMap<string, AgentConnection>,
  ): void {
    for (const [name, connection] of this.#connections) {
      if (Object.hasOwn(configs, name) && configs[name]?.instance === this.instanceOf(name)) continue;
      connection.close();
      this.#connections.delete(name);
    }
    this.#configs = configs;
    this.#leaving = undefined;
    for (const [name, connection] of connections) {
      // The conversation has ended meanwhile.
      if (this.#hostFor === undefined) connection.close();
      else this.#connections.set(name, connection);
    }
  }

  /** The agent knew another server by this name and may still use that one's list of tools. */
  #announceChanges(previous: Record<string, McpSdkServerConfigWithInstance>): void {
    for (const [name, { instance }] of Object.entries(previous)) {
      const now = this.instanceOf(name);
      if (now === undefined || now === instance) continue;
      this.#hostFor?.(name).notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    }
  }

  /** Closes the connections. The servers belong to the user and stay open. */
  close(): void {
    this.#hostFor = undefined;
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}

/**
 * Refuses two tools that the model would know by one name, as `b__c` of `a` and `c` of `a__b`: rules for one
 * would count for the other. The runtime refuses those of servers that are only known later.
 */
function checkToolNames(configs: Readonly<Record<string, McpSdkServerConfigWithInstance>>): void {
  const prefixes = new Set(Object.keys(configs).map(mcpToolPrefix));
  const canMeet = [...prefixes].some((prefix) => prefix.includes('__', 'mcp__'.length));
  if (!canMeet && prefixes.size === Object.keys(configs).length) return;
  const owners = new Map<string, string>();
  for (const [server, { instance }] of Object.entries(configs)) {
    const tools = instance instanceof SdkMcpServer ? instance.tools.names : [];
    for (const tool of tools) {
      const name = mcpToolName(server, tool);
      const owner = owners.get(name) ?? server;
      if (owner !== server) throw sameName(name, [owner, server], configs);
      owners.set(name, server);
    }
  }
}

function sameName(name: string, [one, other]: [string, string], configs: object): OptionError {
  return new OptionError(
    'mcpServers',
    Object.keys(configs),
    `mcpServers: a tool of the server "${one}" and one of "${other}" would both be named "${name}", so rules for one would count for the other. Rename a server or a tool.`,
  );
}

/** What the agent is told about a server besides its name. */
function settingsOf({
  instance,
  timeout,
  tools,
}: McpSdkServerConfigWithInstance): Pick<McpSdkServerConfigWithInstance, 'timeout' | 'tools'> {
  // Our own servers enforce their time limits: the CLI's clock ignores progress and per-tool limits.
  const isWatched = instance instanceof SdkMcpServer && instance.timeout === timeout;
  return {
    ...(timeout === undefined || isWatched ? {} : { timeout }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Only our own servers are known without asking; the agent asks the others itself. */
function manifestOf({ instance }: McpSdkServerConfigWithInstance): SdkMcpServerManifest | undefined {
  if (!(instance instanceof SdkMcpServer)) return undefined;
  const tools = instance.listTools('claude-code');
  if (tools instanceof Promise) return undefined;
  return { initializeResult: instance.initializeResult(), toolsListResult: { tools } };
}

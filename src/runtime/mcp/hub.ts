import type { ProxiedServerConfig } from '../../authoring/proxy/upstream-transport.js';
import type { InitializeRequest } from '../../protocol/control-requests.js';
import { messageOf, TenonError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import type { ListedTool, McpServerConfigForProcessTransport } from '../../protocol/mcp.js';
import type { McpServerStatus, McpSetServersResult } from '../../protocol/mcp-status.js';
import { mcpToolName } from '../../protocol/mcp-tool-names.js';
import type { Host } from '../host.js';
import { mcpTool } from '../tools/mcp-tool.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import { McpServerAdmission } from './auth/admission.js';
import type { McpServerAuth } from './auth/server-auth.js';
import type { ConfiguredServer } from './configured-servers.js';
import { inProcessSource } from './in-process-source.js';
import { McpServerConnection } from './mcp-server-connection.js';
import type { McpServerSource } from './mcp-server-source.js';
import {
  DEFAULT_RECONNECT,
  type McpReconnectPolicy,
  type McpSettings,
  milliseconds,
} from './mcp-settings.js';
import { processSource } from './process-source.js';
import { externalRequests } from './server-requests.js';

export interface McpHubOptions {
  host: Host;
  cwd: string;
  /** That the agent may work in, beside `cwd`. */
  additionalDirectories?: readonly string[] | undefined;
  /** Of servers' processes, and for `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  connectTimeoutMs?: number | undefined;
  reconnect?: Partial<McpReconnectPolicy> | undefined;
  auth?: Readonly<Record<string, McpServerAuth>> | undefined;
  onLog?: McpSettings['onLog'];
}

/** All MCP servers of a conversation as one set of named connections. They connect beside each other. */
export class McpHub {
  readonly #options: McpHubOptions;
  readonly #settings: McpSettings;
  readonly #connections = new Map<string, McpServerConnection>();
  readonly #connecting = new Map<string, Promise<void>>();
  /** What each server outside was configured with, to see whether it has changed. */
  readonly #configured = new Map<string, string>();
  /** Those of the command line and of files, until the host has named them: they stay. */
  readonly #atStart = new Set<string>();
  /** Those that were taken away and have not ended yet. */
  readonly #leaving = new Set<Promise<void>>();
  #replacing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: McpHubOptions) {
    this.#options = options;
    const { env = {}, connectTimeoutMs, reconnect, onLog } = options;
    this.#settings = {
      connectTimeoutMs: connectTimeoutMs ?? milliseconds(env.MCP_TIMEOUT) ?? LIMITS.proxyConnectMs,
      toolTimeoutMs: milliseconds(env.MCP_TOOL_TIMEOUT) ?? 0,
      reconnect: { ...DEFAULT_RECONNECT, ...reconnect },
      onLog,
    };
  }

  /** A server in the host's process, with what the host says of it in advance. */
  addInProcess(name: string, request: InitializeRequest = {}): void {
    this.add(inProcessSource(name, request, this.#options.host));
  }

  /** Throws when the configuration cannot work. */
  addConfigured(name: string, config: McpServerConfigForProcessTransport): void {
    if (config.type === 'sdk') this.addInProcess(name, { sdkMcpServerConfigs: { [name]: config } });
    else this.add(this.#outside(name, config));
    this.#configured.set(name, comparable(config));
  }

  /** The same, but one that cannot work is there as failed: at the start nobody waits for an answer that could tell. */
  addAtStart(name: string, config: ConfiguredServer): void {
    this.#atStart.add(name);
    try {
      if ('error' in config) throw config.error;
      this.addConfigured(name, config);
    } catch (error) {
      this.add({ ...inProcessSource(name, {}, this.#options.host), ...unusable(config, error) });
    }
  }

  add(source: McpServerSource): void {
    const connection = new McpServerConnection(source, this.#settings);
    this.#connections.set(source.name, connection);
    void this.#connect(connection, source.manifest);
  }

  /** Connected servers that say that they have such. */
  having(kind: 'resources' | 'prompts'): McpServerConnection[] {
    return [...this.#connections.values()].filter(
      ({ state, handshake }) =>
        state.is('connected', 'pending') && handshake?.capabilities?.[kind] !== undefined,
    );
  }

  get(name: string): McpServerConnection | undefined {
    return this.#connections.get(name);
  }

  /** Throws for a name that no server has. */
  required(name: string): McpServerConnection {
    const connection = this.#connections.get(name);
    if (connection === undefined) throw new Error(`Server not found: ${name}`);
    return connection;
  }

  get names(): string[] {
    return [...this.#connections.keys()];
  }

  /** Resolves when every server is connected or has failed; each has its own time limit. Lost ones are not waited for. */
  async settled(): Promise<void> {
    await Promise.all(this.#connecting.values());
  }

  /** Resolves when the servers that said that their tools have changed have listed them again. */
  async relisted(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.relisted()));
  }

  /** Replaces the servers of the host and of earlier calls: those that are named stay unless they have changed, new ones are connected, the others go. */
  set(servers: Record<string, McpServerConfigForProcessTransport>): Promise<McpSetServersResult> {
    // One after another: a second list must see what the first has left.
    const replaced = this.#replacing.then(() => this.#replace(servers));
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  async #replace(servers: Record<string, McpServerConfigForProcessTransport>): Promise<McpSetServersResult> {
    const isNamed = (name: string): boolean => Object.hasOwn(servers, name);
    const stays = (name: string): boolean =>
      isNamed(name) && (this.#configured.get(name) ?? NOT_CONFIGURED) === comparable(servers[name]);
    for (const name of Object.keys(servers)) this.#atStart.delete(name);
    const removed = this.names.filter((name) => !stays(name) && !this.#atStart.has(name));
    const added = Object.keys(servers).filter((name) => !this.#connections.has(name) || !stays(name));
    await Promise.all(removed.map((name) => this.remove(name)));
    if (this.#isClosed) throw new TenonError('CLOSED', 'The conversation has ended.');
    const errors: Record<string, string> = {};
    for (const name of added) {
      try {
        this.addConfigured(name, servers[name] as McpServerConfigForProcessTransport);
      } catch (error) {
        errors[name] = messageOf(error);
      }
    }
    return {
      added: added.filter((name) => !Object.hasOwn(errors, name)),
      removed: removed.filter((name) => !isNamed(name)),
      errors,
    };
  }

  /** Resolves when nothing of it is left. */
  remove(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    this.#configured.delete(name);
    const gone: Promise<void> = Promise.resolve(connection?.disconnect()).finally(() =>
      this.#leaving.delete(gone),
    );
    this.#leaving.add(gone);
    return gone;
  }

  /** Rejects when it does not connect. What was given in advance is not used: it may be out of date by now. */
  async reconnect(name: string): Promise<void> {
    const connection = this.required(name);
    await this.#connect(connection, undefined);
    const { status, error } = connection.state.shown();
    if (status !== 'connected') throw new Error(error ?? `Server "${name}" did not connect.`);
  }

  async toggle(name: string, enabled: boolean): Promise<void> {
    if (enabled) await this.reconnect(name);
    else await this.required(name).disconnect();
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

  /** The tool that a model calls by this name. */
  find(toolName: string): { connection: McpServerConnection; listed: ListedTool } | undefined {
    for (const connection of this.#connections.values()) {
      const listed = connection.tools.find(
        ({ name }) => mcpToolName(connection.source.name, name) === toolName,
      );
      if (listed !== undefined) return { connection, listed };
    }
    return undefined;
  }

  /** Resolves when nothing is left of any of them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const name of this.names) void this.remove(name);
    await Promise.all(this.#leaving);
  }

  #outside(name: string, config: ProxiedServerConfig): McpServerSource {
    const { host, cwd, additionalDirectories = [], env, auth = {} } = this.#options;
    const own = Object.hasOwn(auth, name) ? auth[name] : undefined;
    return processSource(name, config, {
      env,
      cwd,
      serve: externalRequests(host, [cwd, ...additionalDirectories]),
      admission: own === undefined ? undefined : new McpServerAdmission(name, own),
    });
  }

  async #connect(connection: McpServerConnection, manifest: McpServerSource['manifest']): Promise<void> {
    const { name } = connection.source;
    const done = connection.connect(manifest).finally(() => {
      if (this.#connecting.get(name) === done) this.#connecting.delete(name);
    });
    this.#connecting.set(name, done);
    await done;
  }
}

/** Of a server that was announced and not configured: any configuration that only names it is the same. */
const NOT_CONFIGURED = 'sdk';

function comparable(config: McpServerConfigForProcessTransport | undefined): string {
  return config?.type === 'sdk' ? NOT_CONFIGURED : JSON.stringify(config);
}

function unusable(config: ConfiguredServer, error: unknown): Partial<McpServerSource> {
  return {
    transport: ('type' in config ? config.type : undefined) ?? 'stdio',
    source: config.source ?? 'dynamic',
    open: () => Promise.reject(error),
  };
}

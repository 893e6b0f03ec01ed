import { McpServerAdmission } from '../../mcp/auth/admission.js';
import type { McpServerAuth } from '../../mcp/auth/server-auth.js';
import { externalSource } from '../../mcp/client/external-source.js';
import { McpServerConnection } from '../../mcp/client/server-connection.js';
import type { McpServerSource } from '../../mcp/client/server-source.js';
import {
  DEFAULT_RECONNECT,
  type McpReconnectPolicy,
  type McpSettings,
  milliseconds,
} from '../../mcp/client/settings.js';
import type { McpServerStatus, McpSetServersResult } from '../../mcp/status.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import type { ListedTool, McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { ProxiedServerConfig, StartProgram } from '../../mcp/upstream/upstream-transport.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { setOwn } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { Host } from '../host.js';
import { RUNTIME_VERSION } from '../start/runtime-config.js';
import { mcpTool } from '../tools/mcp-tool.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { ConfiguredServer } from './configured-servers.js';
import { inProcessSource, isServerConfig } from './in-process-source.js';
import { EXTERNAL_CAPABILITIES, externalRequests } from './server-requests.js';

export interface McpHubOptions {
  host: Host;
  cwd: string;
  /** Directories besides `cwd` that the agent may work in. */
  additionalDirectories?: readonly string[] | undefined;
  /** Absent: there are no processes, and servers that are programs fail. */
  startProgram?: StartProgram | undefined;
  /** For the servers' processes, and for `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  connectTimeoutMs?: number | undefined;
  reconnect?: Partial<McpReconnectPolicy> | undefined;
  auth?: Readonly<Record<string, McpServerAuth>> | undefined;
  /** Why settings forbid a server, or undefined. */
  problem?: ((name: string, config: McpServerConfigForProcessTransport) => string | undefined) | undefined;
  onLog?: McpSettings['onLog'];
}

const CLIENT_INFO = { name: 'tenon-runtime', title: 'Tenon runtime', version: RUNTIME_VERSION };

/** All MCP servers of a conversation: a set of named connections, made in parallel. */
export class McpHub {
  readonly #options: McpHubOptions;
  readonly #settings: McpSettings;
  readonly #connections = new Map<string, McpServerConnection>();
  readonly #connecting = new Map<string, Promise<void>>();
  /** Each external server's configuration, to detect changes. */
  readonly #configured = new Map<string, string>();
  /** Servers from the command line and from files that the host has not named yet: they stay. */
  readonly #atStart = new Set<string>();
  /** Removed servers that have not ended yet. */
  readonly #leaving = new Set<Promise<void>>();
  #replacing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #version = 0;

  constructor(options: McpHubOptions) {
    this.#options = options;
    const { env = {}, connectTimeoutMs, reconnect, onLog } = options;
    this.#settings = {
      clientInfo: CLIENT_INFO,
      connectTimeoutMs: connectTimeoutMs ?? milliseconds(env.MCP_TIMEOUT) ?? LIMITS.proxyConnectMs,
      toolTimeoutMs: milliseconds(env.MCP_TOOL_TIMEOUT) ?? 0,
      reconnect: { ...DEFAULT_RECONNECT, ...reconnect },
      onLog,
    };
  }

  /** Adds a server in the host's process, with what the host announced about it. */
  addInProcess(name: string, request: InitializeRequest = {}): void {
    this.add(inProcessSource(name, request, this.#options.host));
  }

  /** Throws if the configuration cannot work. */
  addConfigured(name: string, config: McpServerConfigForProcessTransport): void {
    const problem = this.#options.problem?.(name, config);
    if (problem !== undefined) throw new TenonError('INVALID_SETTINGS', problem);
    if (config.type === 'sdk' && !isServerConfig(config)) {
      throw new Error('`timeout` must be a number, and `tools` a list of policies with a `name`.');
    }
    if (config.type === 'sdk') this.addInProcess(name, { sdkMcpServerConfigs: { [name]: config } });
    else this.add(this.#outside(name, config));
    this.#configured.set(name, comparable(config));
  }

  /** The same, except that an unusable server is listed as failed: at the start, nobody is waiting for an error. */
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
    const changed = (): void => {
      this.#version += 1;
    };
    const connection = new McpServerConnection(source, this.#settings, changed);
    this.#connections.set(source.name, connection);
    changed();
    void this.#connect(connection, source.manifest);
  }

  /** Increases whenever servers, their tools or their states may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Connected servers that announce this capability. */
  having(kind: 'resources' | 'prompts'): McpServerConnection[] {
    return [...this.#connections.values()].filter(
      ({ state, handshake }) =>
        state.is('connected', 'pending') && handshake?.capabilities?.[kind] !== undefined,
    );
  }

  get(name: string): McpServerConnection | undefined {
    return this.#connections.get(name);
  }

  /** Throws if no server has that name. */
  required(name: string): McpServerConnection {
    const connection = this.#connections.get(name);
    if (connection === undefined) throw new Error(`Server not found: ${name}`);
    return connection;
  }

  get names(): string[] {
    return [...this.#connections.keys()];
  }

  /** Resolves when every server has connected or failed, each within its own time limit. Does not wait for lost ones. */
  async settled(): Promise<void> {
    await Promise.all(this.#connecting.values());
  }

  /** Resolves when all servers whose tools changed have listed them again. */
  async relisted(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.relisted()));
  }

  /** Replaces the servers of the host and of earlier calls: unchanged ones stay, new ones are connected, the rest are removed. */
  set(servers: Record<string, McpServerConfigForProcessTransport>): Promise<McpSetServersResult> {
    // In sequence: a second list must see the outcome of the first.
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
        setOwn(errors, name, messageOf(error));
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
    this.#version += 1;
    const disconnected: Promise<void> = Promise.resolve(connection?.disconnect()).finally(() =>
      this.#leaving.delete(disconnected),
    );
    this.#leaving.add(disconnected);
    return disconnected;
  }

  /** Rejects if it does not connect. Ignores what was announced in advance, which may be out of date. */
  async reconnect(name: string): Promise<void> {
    const connection = this.required(name);
    await this.#connect(connection, undefined);
    const { status, error } = connection.state.report();
    if (status !== 'connected') throw new Error(error ?? `Server "${name}" did not connect.`);
  }

  async toggle(name: string, enabled: boolean): Promise<void> {
    if (enabled) await this.reconnect(name);
    else await this.required(name).disconnect();
  }

  status(): McpServerStatus[] {
    return [...this.#connections.values()].map((connection) => connection.status());
  }

  /** The servers' instructions for the model, sorted so that a reconnect does not change the start of the prompt. */
  instructions(): string[] {
    return this.names.sort().flatMap((name) => {
      const text = this.get(name)?.handshake?.instructions;
      return text === undefined ? [] : [`# Instructions of the MCP server "${name}"\n${text}`];
    });
  }

  tools(): RuntimeTool[] {
    return [...this.#connections.values()].flatMap((connection) =>
      connection.tools.map((listed) => mcpTool(connection, listed)),
    );
  }

  /** The tool that the model knows by this name. */
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
    const { host, cwd, additionalDirectories = [], env, auth = {}, startProgram } = this.#options;
    const serverAuth = Object.hasOwn(auth, name) ? auth[name] : undefined;
    return externalSource(name, config, {
      env,
      cwd,
      capabilities: EXTERNAL_CAPABILITIES,
      startProgram,
      serve: externalRequests(host, [cwd, ...additionalDirectories]),
      admission: serverAuth === undefined ? undefined : new McpServerAdmission(name, serverAuth),
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

/** Stands for a server that was only announced: any configuration that merely names it is the same. */
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

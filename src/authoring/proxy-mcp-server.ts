import { OptionError } from '../protocol/errors.js';
import { LIMITS } from '../protocol/limits.js';
import {
  type ListToolsResult,
  type ManyConnectionsServer,
  type McpSdkServerConfigWithInstance,
  type McpTransport,
  manyConnections,
} from '../protocol/mcp.js';
import { Multiplexer } from '../protocol/mcp-link/multiplexer.js';
import type { McpSessionClient } from '../protocol/mcp-link/session.js';
import { connectTransport } from './connect-transport.js';
import { type McpIntercept, ProxySession } from './proxy/proxy-session.js';
import { openUpstream } from './proxy/upstream-link.js';
import { checkConfig, type ProxiedServerConfig } from './proxy/upstream-transport.js';

export interface ProxyMcpServerOptions {
  /** In error texts, and where the value is used without a key of `mcpServers`. */
  name?: string | undefined;
  /** Wraps every request of a client: to filter, rename, cache, log, refuse. */
  intercept?: McpIntercept | undefined;
  /** From the start of the server to its answer to `initialize`, in milliseconds. */
  connectTimeoutMs?: number | undefined;
}

export type ProxyMcpServerConfig = McpSdkServerConfigWithInstance & { instance: ProxyMcpServer };

/**
 * Makes a server outside (stdio, SSE, HTTP) look like an in-process one: a value for `mcpServers`. The server is
 * started or reached when it is first used; all conversations share the connection, and it ends with the last of them.
 */
export function proxyMcpServer(
  config: ProxiedServerConfig,
  options: ProxyMcpServerOptions = {},
): ProxyMcpServerConfig {
  const instance = new ProxyMcpServer(config, options);
  const value: ProxyMcpServerConfig = { type: 'sdk', name: instance.name, instance };
  if (config.timeout !== undefined) value.timeout = config.timeout;
  if ('tools' in config && config.tools !== undefined) value.tools = config.tools;
  return value;
}

/** The `instance` of a proxied server. */
export class ProxyMcpServer implements ManyConnectionsServer {
  readonly [manyConnections] = true;
  readonly name: string;
  readonly #multiplexer: Multiplexer;
  readonly #intercept: McpIntercept;
  readonly #sessions = new Set<ProxySession>();

  constructor(config: ProxiedServerConfig, options: ProxyMcpServerOptions = {}) {
    checkConfig(config);
    const { name = 'proxy', intercept = passOn, connectTimeoutMs = LIMITS.proxyConnectMs } = options;
    checkOptions({ name, connectTimeoutMs });
    this.name = name;
    this.#intercept = config.alwaysLoad ? alwaysLoading(intercept) : intercept;
    const upstream = { name, config, connectTimeoutMs };
    this.#multiplexer = new Multiplexer((events) => openUpstream(upstream, events));
  }

  /** Serves one MCP client until its transport closes. May be called any number of times. */
  connect(transport: McpTransport): Promise<void> {
    return connectTransport((client) => this.open(client), transport);
  }

  open(client: McpSessionClient): ProxySession {
    const onEnd = (): void => void this.#sessions.delete(session);
    const session = new ProxySession(client, this.#multiplexer, this.#intercept, onEnd);
    this.#sessions.add(session);
    return session;
  }

  /** Ends all conversations; resolves when the server's process, too, is gone. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await this.#multiplexer.released;
  }
}

function checkOptions({ name, connectTimeoutMs }: { name: unknown; connectTimeoutMs: number }): void {
  if (typeof name !== 'string' || name === '') {
    throw new OptionError('name', name, 'proxyMcpServer: `name` must be a non-empty string.');
  }
  if (connectTimeoutMs > 0) return;
  const text = `proxyMcpServer: \`connectTimeoutMs\` must be milliseconds above 0; it is ${JSON.stringify(connectTimeoutMs)}.`;
  throw new OptionError('connectTimeoutMs', connectTimeoutMs, text);
}

const passOn: McpIntercept = (request, next) => next(request);

/** What `alwaysLoad` in an entry of `mcpServers` means to the CLI, said of each tool. */
function alwaysLoading(intercept: McpIntercept): McpIntercept {
  return async (request, next, context) => {
    const result = await intercept(request, next, context);
    if (request.method !== 'tools/list') return result;
    const tools = (result as ListToolsResult).tools.map((tool) => ({
      ...tool,
      _meta: { ...tool._meta, 'anthropic/alwaysLoad': true },
    }));
    return { ...result, tools };
  };
}

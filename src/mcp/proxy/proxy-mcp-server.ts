import { OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { connectTransport } from '../link/connect-transport.js';
import type { ClientEnd } from '../link/ends.js';
import { Multiplexer } from '../link/multiplexer.js';
import {
  type ListToolsResult,
  type ManyConnectionsServer,
  type McpSdkServerConfigWithInstance,
  type McpTransport,
  manyConnections,
} from '../types.js';
import { startProgram } from '../upstream/start-program.js';
import { openUpstream } from '../upstream/upstream-link.js';
import { checkConfig, type ProxiedServerConfig } from '../upstream/upstream-transport.js';
import { type McpIntercept, ProxiedClient } from './proxied-client.js';

export interface ProxyMcpServerOptions {
  /** For error messages, and for uses of the value without a key in `mcpServers`. */
  name?: string | undefined;
  /** Wraps every client request: to filter, rename, cache, log or refuse it. */
  intercept?: McpIntercept | undefined;
  /** The longest time from the server's start to its answer to `initialize`, in milliseconds. */
  connectTimeoutMs?: number | undefined;
}

export type ProxyMcpServerConfig = McpSdkServerConfigWithInstance & { instance: ProxyMcpServer };

/**
 * Makes an external server (stdio, SSE, HTTP) look like an in-process one: a value for `mcpServers`. The server is
 * started or contacted on first use. All conversations share the connection, which ends with the last of them.
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
  readonly #clients = new Set<ProxiedClient>();

  constructor(config: ProxiedServerConfig, options: ProxyMcpServerOptions = {}) {
    checkConfig(config);
    const { name = 'proxy', intercept = passOn, connectTimeoutMs = LIMITS.proxyConnectMs } = options;
    checkOptions({ name, connectTimeoutMs });
    this.name = name;
    this.#intercept = config.alwaysLoad ? alwaysLoading(intercept) : intercept;
    const upstream = { name, config, connectTimeoutMs, startProgram };
    this.#multiplexer = new Multiplexer((events) => openUpstream(upstream, events));
  }

  /** Serves one MCP client until its transport closes. Can be called any number of times. */
  connect(transport: McpTransport): Promise<void> {
    return connectTransport((client) => this.open(client), transport);
  }

  open(client: ClientEnd): ProxiedClient {
    const onEnd = (): void => void this.#clients.delete(proxied);
    const proxied = new ProxiedClient(this.name, client, this.#multiplexer, this.#intercept, onEnd);
    this.#clients.add(proxied);
    return proxied;
  }

  /** Ends all conversations; resolves when the server's process is gone, too. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close()));
    await this.#multiplexer.released;
  }
}

function checkOptions({ name, connectTimeoutMs }: { name: unknown; connectTimeoutMs: number }): void {
  if (typeof name !== 'string' || name === '') {
    throw new OptionError('name', name, 'proxyMcpServer: `name` must be a non-empty string.');
  }
  if (connectTimeoutMs > 0) return;
  const text = `proxyMcpServer: \`connectTimeoutMs\` must be a number of milliseconds above 0; it is ${JSON.stringify(connectTimeoutMs)}.`;
  throw new OptionError('connectTimeoutMs', connectTimeoutMs, text);
}

const passOn: McpIntercept = (request, next) => next(request);

/** Marks each tool the way the CLI understands `alwaysLoad` of an `mcpServers` entry. */
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

import type { Readable } from 'node:stream';
import { OptionError } from '../../protocol/errors.js';
import type {
  JsonRpcMessage,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
  McpTransport,
} from '../../protocol/mcp.js';

export type ProxiedServerConfig = McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig;

/** A transport of the MCP library, used as a pipe for JSON-RPC. */
export interface UpstreamTransport {
  readonly transport: Omit<McpTransport, 'send'> & {
    send(message: JsonRpcMessage, options?: { onRequestStreamEnd?: () => void }): Promise<void>;
  };
  readonly stderr?: Readable | undefined;
  /** Whether a message that could not be sent means that the connection is of no use any more. */
  sendEndsConnection(error: unknown): boolean;
  /** The same of an error that the transport tells of by itself. */
  errorEndsConnection(error: unknown): boolean;
  /** Tells the server that we leave. */
  leave?(): Promise<void>;
}

export function checkConfig(config: ProxiedServerConfig): void {
  const problem = problemOf(config);
  if (problem === undefined) return;
  throw new OptionError(
    'config',
    // Without what may be secret: errors are printed whole.
    typeof config === 'object' && config !== null
      ? { ...config, env: undefined, headers: undefined }
      : config,
    `proxyMcpServer: the server ${problem}. Expected { command, args?, env? } or { type: "http" | "sse", url, headers? }.`,
  );
}

function problemOf(config: ProxiedServerConfig): string | undefined {
  if (typeof config !== 'object' || config === null) return 'is not an object';
  const { type } = config;
  if (type === 'http' || type === 'sse') return URL.canParse(config.url) ? undefined : 'has no valid `url`';
  if (type !== undefined && type !== 'stdio') return `has the unknown type ${JSON.stringify(type)}`;
  return typeof config.command === 'string' ? undefined : 'has no `command`';
}

/** What a text calls the server; never with arguments or a query, where secrets may be. */
export function placeOf(config: ProxiedServerConfig): string {
  if (!('url' in config)) return config.command;
  const { origin, pathname } = new URL(config.url);
  return origin + pathname;
}

/** The libraries are loaded here and not before: a program without a proxy never pays for them. */
export async function makeTransport(config: ProxiedServerConfig): Promise<UpstreamTransport> {
  if (config.type === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(config.url), requestOptions(config));
    return {
      transport: transport as UpstreamTransport['transport'],
      // Any status is the server's answer to this one message, except for "I do not know that session".
      sendEndsConnection: (error) => [undefined, 404].includes((error as { status?: number }).status),
      // A stream that breaks is opened again by the library.
      errorEndsConnection: () => false,
      leave: () => transport.terminateSession(),
    };
  }
  if (config.type === 'sse') {
    const { SSEClientTransport, SseError } = await import('@modelcontextprotocol/client');
    const transport = new SSEClientTransport(new URL(config.url), requestOptions(config));
    return {
      transport: transport as UpstreamTransport['transport'],
      sendEndsConnection: () => false,
      // The event source would connect again by itself, to a session that knows of no handshake.
      errorEndsConnection: (error) => error instanceof SseError,
    };
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    command: config.command,
    args: config.args ?? [],
    // As the CLI starts its servers.
    env: { ...(process.env as Record<string, string>), ...config.env },
    stderr: 'pipe',
    maxBufferSize: Number.POSITIVE_INFINITY,
  });
  return {
    transport: transport as UpstreamTransport['transport'],
    stderr: transport.stderr as Readable,
    // Its end is told otherwise.
    sendEndsConnection: () => false,
    errorEndsConnection: () => false,
  };
}

function requestOptions(config: McpHttpServerConfig | McpSSEServerConfig): {
  requestInit: { headers: Record<string, string> };
} {
  return { requestInit: { headers: config.headers ?? {} } };
}

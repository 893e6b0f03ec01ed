import { OptionError } from '../../protocol/errors.js';
import type {
  JsonRpcMessage,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
  McpTransport,
} from '../../protocol/mcp.js';
import type { McpAuthChallenge } from '../../protocol/mcp-status.js';
import { redactConfig } from '../../protocol/redact-config.js';
import type { HeaderSource } from './remote-fetch.js';
import type { Verdict } from './upstream-failure.js';

export type ProxiedServerConfig = McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig;

/** A transport of the MCP library or our own, used as a pipe for JSON-RPC. */
export interface UpstreamTransport {
  readonly transport: Omit<McpTransport, 'send'> & {
    send(message: JsonRpcMessage, options?: { onRequestStreamEnd?: () => void }): Promise<void>;
  };
  /** What a message that could not be sent means. */
  verdict(error: unknown): Verdict;
  /** Whether an error that the transport tells of by itself means that the connection is of no use any more. */
  errorEndsConnection(error: unknown): boolean;
  /** How it ended, when it ended by itself. */
  ending(): string;
  /** What the server said when it did not let us in. */
  challenge?(): McpAuthChallenge | undefined;
  /** Tells the server that we leave. */
  leave?(): Promise<void>;
}

/** What a transport needs beside the server's configuration. */
export interface UpstreamSurroundings {
  /** Of a server's process; the configuration's own variables are added. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  readonly auth?: UpstreamAuth | undefined;
}

/** How one server is told who asks. */
export interface UpstreamAuth {
  /** In addition to those of the configuration. */
  readonly headers?: HeaderSource | undefined;
  /** An `OAuthClientProvider` of the MCP library. */
  readonly provider?: object | undefined;
  /** Takes what exchanges the code that a person has brought back for a token. */
  finishWith?(finish: (callback: URLSearchParams) => Promise<void>): void;
}

export interface UpstreamTransportEvents {
  stderr(text: string): void;
  secrets(values: readonly string[]): void;
  lost(reason: string): void;
}

export function checkConfig(config: ProxiedServerConfig, what = 'proxyMcpServer: the server'): void {
  const problem = problemOf(config);
  if (problem === undefined) return;
  throw new OptionError(
    'config',
    // Without what may be secret: errors are printed whole.
    typeof config === 'object' && config !== null ? redactConfig(config) : config,
    `${what} ${problem}. Expected { command, args?, env? } or { type: "http" | "sse", url, headers? }.`,
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

/** What is needed is loaded here and not before: a program without such a server never pays for it. */
export async function makeTransport(
  config: ProxiedServerConfig,
  surroundings: UpstreamSurroundings,
  events: UpstreamTransportEvents,
): Promise<UpstreamTransport> {
  if ('url' in config) {
    const { makeRemoteTransport } = await import('./remote-transport.js');
    return makeRemoteTransport(config, surroundings.auth ?? {}, events);
  }
  const { StdioTransport } = await import('./stdio-transport.js');
  const transport = new StdioTransport(config, {
    // As the CLI starts its servers.
    env: surroundings.env ?? process.env,
    cwd: surroundings.cwd,
    onStderr: (text) => events.stderr(text),
  });
  return {
    transport,
    // What cannot be written never reaches it; its end is told otherwise.
    verdict: () => ({ mayRepeat: true, endsConnection: false, isDoubtful: false, isUnauthorized: false }),
    errorEndsConnection: () => false,
    ending: () => transport.ending,
  };
}

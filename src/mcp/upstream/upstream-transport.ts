import { OptionError, TenonError } from '../../protocol/base/errors.js';
import { redactConfig } from '../../protocol/base/secret-values.js';
import type { McpAuthChallenge } from '../status.js';
import type {
  JsonRpcMessage,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
  McpTransport,
} from '../types.js';
import type { HeaderSource } from './remote-fetch.js';
import type { Verdict } from './upstream-failure.js';

export type ProxiedServerConfig = McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig;

/** A transport of the MCP library or our own, used as a pipe for JSON-RPC. */
export interface UpstreamTransport {
  readonly transport: Omit<McpTransport, 'send'> & {
    send(message: JsonRpcMessage, options?: { onRequestStreamEnd?: () => void }): Promise<void>;
  };
  /** What the failure to send a message means. */
  verdict(error: unknown): Verdict;
  /** Whether an error that the transport reports on its own makes the connection unusable. */
  errorEndsConnection(error: unknown): boolean;
  /** How it ended, if it ended on its own. */
  ending(): string;
  /** What the server said when it refused us. */
  challenge?(): McpAuthChallenge | undefined;
  /** Tells the server that we are leaving. */
  leave?(): Promise<void>;
}

/** What a transport needs besides the server's configuration. */
export interface UpstreamSurroundings {
  /** For a server's process; the variables of its configuration are added. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** Absent: there are no processes here, and a server that is a program cannot be used. */
  readonly startProgram?: StartProgram | undefined;
  readonly auth?: UpstreamAuth | undefined;
}

/** A server that is a program, not started yet. */
export type StartProgram = (
  config: McpStdioServerConfig,
  surroundings: ProgramSurroundings,
) => Promise<UpstreamTransport['transport'] & { readonly ending: string }>;

export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd: string | undefined;
  /** Receives its stderr, and any stdout line that is not a message. */
  onStderr(text: string): void;
}

/** How we identify ourselves to one server. */
export interface UpstreamAuth {
  /** In addition to those of the configuration. */
  readonly headers?: HeaderSource | undefined;
  /** An `OAuthClientProvider` of the MCP library. */
  readonly provider?: object | undefined;
  /** Receives the function that exchanges the code from a person's sign-in for a token. */
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
    // Without secrets: errors get printed in full.
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

/** How messages name the server; without arguments or a query, which may hold secrets. */
export function placeOf(config: ProxiedServerConfig): string {
  if (!('url' in config)) return config.command;
  const { origin, pathname } = new URL(config.url);
  return origin + pathname;
}

/** Loads what the server needs now, and not earlier: programs without such servers never pay for it. */
export async function makeTransport(
  config: ProxiedServerConfig,
  surroundings: UpstreamSurroundings,
  events: UpstreamTransportEvents,
): Promise<UpstreamTransport> {
  if ('url' in config) {
    const { makeRemoteTransport } = await import('./remote-transport.js');
    return makeRemoteTransport(config, surroundings.auth ?? {}, events);
  }
  const { startProgram, env, cwd } = surroundings;
  if (startProgram === undefined) {
    throw new TenonError(
      'NOT_SUPPORTED',
      `The program "${config.command}" cannot be started: there are no processes here. Use a server with a url, or one in this process.`,
    );
  }
  const onStderr = (text: string): void => events.stderr(text);
  const transport = await startProgram(config, { env, cwd, onStderr });
  return {
    transport,
    // What cannot be written never reaches it; its end is reported separately.
    verdict: () => ({ mayRepeat: true, endsConnection: false, isDoubtful: false, isUnauthorized: false }),
    errorEndsConnection: () => false,
    ending: () => transport.ending,
  };
}

import type { SdkMcpServerManifest } from '../../protocol/wire/control-requests.js';
import type { McpServerStatus } from '../status.js';
import type { JsonRpcRequest, McpServerToolPolicy } from '../types.js';
import type { McpClient, McpLink } from './mcp-client.js';

/** Answers a server's request to its client, or throws to refuse it. */
export type ServeRequest = (
  serverName: string,
  request: JsonRpcRequest,
  signal: AbortSignal,
) => Promise<Record<string, unknown>>;

/** How to reach a server, and how its status describes it. */
export interface McpServerSource {
  readonly name: string;
  readonly transport: 'sdk' | 'stdio' | 'sse' | 'http';
  /** Where its configuration comes from. */
  readonly source: string;
  /** For one tool call. */
  readonly timeoutMs: number | undefined;
  readonly policies: readonly McpServerToolPolicy[];
  readonly manifest: SdkMcpServerManifest | undefined;
  /** The client capabilities that the server is told of. */
  readonly capabilities: object;
  readonly serve: ServeRequest;
  /** All its tools are always in the prompt. */
  readonly alwaysLoad?: boolean | undefined;
  /** As its status shows it, without secrets. */
  readonly shownConfig?: NonNullable<McpServerStatus['config']> | undefined;
  /** The end of its process's stderr, without secrets. */
  lastStderr?(): string;
  /** Called when it has answered a request. */
  answered?(): void;
  /** Resolves once a person has granted access, so that another attempt makes sense; undefined if nobody was asked. */
  admitted?(): Promise<boolean> | undefined;
  /** Where that person was sent. */
  authorizationUrl?(): string | undefined;
  /** If the signal is aborted it rejects, once everything it started is undone. */
  open(client: McpClient, options: OpenOptions): Promise<McpLink>;
}

export interface OpenOptions {
  /** Called when the server ends on its own. */
  onGone(error: Error): void;
  signal: AbortSignal;
  timeoutMs: number;
}

import type { SdkMcpServerManifest } from '../../protocol/control-requests.js';
import type { McpServerToolPolicy } from '../../protocol/mcp.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';
import type { McpClient, McpLink } from './mcp-client.js';
import type { ServeRequest } from './server-requests.js';

/** How to reach a server, and what its kind is called in status lines. */
export interface McpServerSource {
  readonly name: string;
  readonly transport: 'sdk' | 'stdio' | 'sse' | 'http';
  /** Where its configuration is from. */
  readonly source: string;
  /** For one call of a tool. */
  readonly timeoutMs: number | undefined;
  readonly policies: readonly McpServerToolPolicy[];
  readonly manifest: SdkMcpServerManifest | undefined;
  /** What we tell the server that it may ask. */
  readonly capabilities: object;
  readonly serve: ServeRequest;
  /** All its tools are in the prompt, always. */
  readonly alwaysLoad?: boolean | undefined;
  /** As status lines show it: nothing in it is secret. */
  readonly shownConfig?: NonNullable<McpServerStatus['config']> | undefined;
  /** The last that its process wrote to stderr, nothing secret in it. */
  lastStderr?(): string;
  /** Told when it has answered a request. */
  answered?(): void;
  /** Resolves when a person has let us in, so that another attempt is worth while; absent: nobody was asked. */
  admitted?(): Promise<boolean> | undefined;
  /** Where that person was sent. */
  authorizationUrl?(): string | undefined;
  /** With an aborted signal it rejects, after what it has begun is undone. */
  open(client: McpClient, options: OpenOptions): Promise<McpLink>;
}

export interface OpenOptions {
  /** Called when the server ends by itself. */
  gone(error: Error): void;
  signal: AbortSignal;
  timeoutMs: number;
}

import type { SdkMcpServerManifest } from '../../protocol/control-requests.js';
import { messageOf } from '../../protocol/errors.js';
import type {
  InitializeResult,
  ListedTool,
  ListToolsResult,
  McpServerToolPolicy,
} from '../../protocol/mcp.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';
import { McpClient, type McpClientEvents, type McpLink } from './mcp-client.js';

/** How to reach a server, and what its kind is called in status lines. */
export interface McpServerSource {
  readonly name: string;
  readonly transport: 'sdk' | 'stdio' | 'sse' | 'http';
  readonly source: string;
  readonly timeoutMs: number | undefined;
  readonly policies: readonly McpServerToolPolicy[];
  readonly manifest: SdkMcpServerManifest | undefined;
  /** `gone` is called when the server ends by itself. */
  open(client: McpClient, gone: (error: Error) => void): Promise<McpLink>;
}

type State = McpServerStatus['status'];

const CLIENT_INFO = { name: 'tenon-runtime', title: 'Tenon runtime', version: '0.1.0' };

/** One named server of a conversation: its state, and its tools as they are now. */
export class McpServerConnection {
  readonly source: McpServerSource;
  readonly client: McpClient;
  tools: ListedTool[] = [];
  state: State = 'pending';
  error: string | undefined;
  handshake: InitializeResult | undefined;
  readonly #connectTimeoutMs: number;
  #relisting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(source: McpServerSource, connectTimeoutMs: number, serve: McpClientEvents['serve']) {
    this.source = source;
    this.#connectTimeoutMs = connectTimeoutMs;
    // A manifest stands for the two requests of a handshake.
    this.client = new McpClient(
      { serve, notification: (method) => this.#notified(method) },
      source.manifest === undefined ? 0 : 2,
    );
  }

  /** Ends in `connected` or `failed`, never rejects, and takes no longer than the time limit. */
  async connect(): Promise<void> {
    this.state = 'pending';
    this.error = undefined;
    try {
      const link = await this.source.open(this.client, (error) => this.#gone(error));
      if (this.#isClosed) return await link.close();
      this.client.attach(link);
      const { manifest } = this.source;
      const options = { timeoutMs: this.#connectTimeoutMs };
      this.handshake =
        (manifest?.initializeResult as InitializeResult | undefined) ??
        (await this.client.initialize(CLIENT_INFO, {}, options));
      const listed = manifest?.toolsListResult as ListToolsResult | undefined;
      this.tools = listed?.tools ?? (await this.client.listTools(options));
      this.state = 'connected';
    } catch (error) {
      // Taken away while it was connecting: that is its state, and no failure.
      if (!this.#isClosed) await this.disconnect('failed', messageOf(error));
    }
  }

  relisted(): Promise<void> {
    return this.#relisting;
  }

  async disconnect(state: 'disabled' | 'failed', error?: string): Promise<void> {
    this.#isClosed = true;
    this.state = state;
    this.error = error;
    this.tools = [];
    await this.client.close().catch(() => {});
  }

  status(): McpServerStatus {
    const { name, transport, source } = this.source;
    const info = this.handshake?.serverInfo;
    return {
      name,
      status: this.state,
      ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
      ...(this.error === undefined ? {} : { error: this.error }),
      transport,
      scope: 'dynamic',
      source,
      ...(this.state === 'connected' ? { tools: this.tools.map(statusOfTool) } : {}),
    };
  }

  #notified(method: string): void {
    if (method !== 'notifications/tools/list_changed' || this.state !== 'connected') return;
    // One after another: of two lists the later one counts.
    this.#relisting = this.#relisting.then(() => this.#relist()).catch(() => {});
  }

  async #relist(): Promise<void> {
    if (this.state !== 'connected') return;
    const tools = await this.client.listTools({ timeoutMs: this.#connectTimeoutMs });
    if (this.state === 'connected') this.tools = tools;
  }

  #gone(error: Error): void {
    this.client.end(error);
    if (this.state === 'connected') void this.disconnect('failed', error.message);
  }
}

function statusOfTool({ name, annotations = {} }: ListedTool): NonNullable<McpServerStatus['tools']>[number] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    name,
    annotations: {
      ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
      ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
      ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
    },
  };
}

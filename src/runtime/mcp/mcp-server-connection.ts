import type { SdkMcpServerManifest } from '../../protocol/control-requests.js';
import { messageOf } from '../../protocol/errors.js';
import type {
  InitializeResult,
  ListedTool,
  ListToolsResult,
  McpServerStatus,
  McpServerToolPolicy,
} from '../../protocol/mcp.js';
import { McpClient, type McpClientEvents, type McpLink } from './mcp-client.js';

/** How to reach a server, and what its kind is called in status lines. */
export interface McpServerSource {
  readonly name: string;
  readonly transport: 'sdk' | 'stdio' | 'sse' | 'http';
  readonly source: string;
  readonly timeoutMs: number | undefined;
  readonly policies: readonly McpServerToolPolicy[];
  readonly manifest: SdkMcpServerManifest | undefined;
  open(client: McpClient): Promise<McpLink>;
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
  readonly #onToolsChanged: () => void;

  constructor(
    source: McpServerSource,
    connectTimeoutMs: number,
    serve: McpClientEvents['serve'],
    onToolsChanged: () => void,
  ) {
    this.source = source;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#onToolsChanged = onToolsChanged;
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
      this.client.attach(await this.source.open(this.client));
      const { manifest } = this.source;
      const options = { timeoutMs: this.#connectTimeoutMs };
      this.handshake =
        (manifest?.initializeResult as InitializeResult | undefined) ??
        (await this.client.initialize(CLIENT_INFO, {}, options));
      const listed = manifest?.toolsListResult as ListToolsResult | undefined;
      this.tools = listed?.tools ?? (await this.client.listTools(options));
      this.state = 'connected';
    } catch (error) {
      this.state = 'failed';
      this.error = messageOf(error);
    }
  }

  async disconnect(state: 'disabled' | 'failed', error?: string): Promise<void> {
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
    this.client.listTools({ timeoutMs: this.#connectTimeoutMs }).then(
      (tools) => {
        this.tools = tools;
        this.#onToolsChanged();
      },
      () => {},
    );
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

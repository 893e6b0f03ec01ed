import {
  type ListedTool,
  type McpSdkServerConfigWithInstance,
  type McpServerConfig,
  OptionError,
  proxyMcpServer,
} from '../../index.js';
import { ObjectClient } from '../../mcp/in-process/object-client.js';
import { packageVersion } from '../own-package.js';
import type { FoundServer } from './exported-servers.js';

/** A server with what it offers, as an agent would see it. */
export interface ListedServer {
  readonly name: string;
  readonly client: ObjectClient;
  readonly tools: readonly ListedTool[];
  readonly instructions: string | undefined;
}

/** What a server logs, and which one it is. */
export type OnLog = (server: string, entry: Record<string, unknown>) => void;

/** Servers that are connected for as long as somebody needs them. */
export class ListedServers implements AsyncDisposable {
  readonly servers: readonly ListedServer[];
  readonly #close: () => Promise<unknown>;

  private constructor(servers: readonly ListedServer[], close: () => Promise<unknown>) {
    this.servers = servers;
    this.#close = close;
  }

  /** Connects them and lists their tools. Rejects if one cannot; nothing is left of the others then. */
  static async open(
    found: readonly FoundServer[],
    others: Record<string, McpServerConfig> = {},
    onLog: OnLog = () => {},
  ): Promise<ListedServers> {
    const all = [
      ...found.map(({ name, config }) => [name, config] as const),
      ...Object.entries(others).map(([name, config]) => [name, proxied(name, config)] as const),
    ];
    const clientInfo = { name: 'tenon', version: packageVersion() };
    const clients = all.map(([name, { instance }]) => ({
      name,
      client: new ObjectClient(name, instance, { clientInfo, log: (entry) => onLog(name, entry) }),
    }));
    const close = (): Promise<unknown> => {
      for (const { client } of clients) client.close();
      // Those of a file belong to the file.
      return Promise.allSettled(all.slice(found.length).map(([, { instance }]) => instance.close()));
    };
    try {
      const listed = clients.map(async ({ name, client }) => {
        const { instructions } = await client.handshake;
        return { name, client, instructions, tools: await client.tools() };
      });
      return new ListedServers(await Promise.all(listed), close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** An external server, started on its first use. */
function proxied(name: string, config: McpServerConfig): McpSdkServerConfigWithInstance {
  if (config.type !== 'sdk') {
    return proxyMcpServer(config, { name });
  }
  throw new OptionError(
    '--server',
    name,
    `--server ${name}=…: a server of the type "${config.type}" cannot be started.`,
  );
}

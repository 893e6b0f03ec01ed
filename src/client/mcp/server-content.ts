import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import type {
  McpGetPromptResult,
  McpListPromptsResult,
  McpListResourcesResult,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from '../../mcp/listings.js';
import { ControlError, messageOf, TenonError } from '../../protocol/base/errors.js';
import type { SDKControlMcpReadResourceResponse } from '../../protocol/wire/control-payloads.js';
import type { Conversation } from '../conversation/conversation.js';
import { HostClient } from './host-client.js';
import type { InProcessServers } from './in-process-servers.js';

type Agent = Pick<Conversation, 'control'>;

/**
 * Resources and prompts for the host. In-process servers are asked directly, whatever the agent is; others
 * through the agent, which not every agent allows.
 */
export class ServerContent {
  readonly #agent: Agent;
  readonly #servers: InProcessServers;
  readonly #externalNames: () => Promise<string[]>;
  readonly #clients = new Map<string, { instance: object; client: HostClient }>();

  constructor(agent: Agent, servers: InProcessServers, externalNames: () => Promise<string[]>) {
    this.#agent = agent;
    this.#servers = servers;
    this.#externalNames = externalNames;
  }

  listResources(serverName?: string): Promise<McpListResourcesResult> {
    return this.#list(serverName, { resources: [], resourceTemplates: [], errors: {} }, (name) =>
      this.#resourcesOf(name, serverName !== undefined),
    );
  }

  listPrompts(serverName?: string): Promise<McpListPromptsResult> {
    return this.#list(serverName, { prompts: [], errors: {} }, (name) =>
      this.#promptsOf(name, serverName !== undefined),
    );
  }

  async readResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse> {
    const client = this.#clientOf(serverName);
    if (client === undefined) {
      return this.#viaAgent(serverName, () => this.#agent.control('mcp_read_resource', { serverName, uri }));
    }
    return (await client.request('resources/read', { uri })) as SDKControlMcpReadResourceResponse;
  }

  async getPrompt(
    serverName: string,
    name: string,
    args: Record<string, string> = {},
  ): Promise<McpGetPromptResult> {
    const client = this.#clientOf(serverName);
    if (client !== undefined) {
      return (await client.request('prompts/get', { name, arguments: args })) as McpGetPromptResult;
    }
    const fields = { serverName, name, arguments: args };
    return this.#viaAgent(serverName, () => this.#agent.control('mcp_get_prompt', fields));
  }

  close(): void {
    for (const { client } of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  /**
   * For one server, fails if it fails. For all servers, reports those that fail alongside the others'
   * results.
   */
  async #list<Result extends McpListResourcesResult | McpListPromptsResult>(
    serverName: string | undefined,
    empty: Result,
    listOf: (name: string) => Promise<Result>,
  ): Promise<Result> {
    if (serverName !== undefined) return listOf(serverName);
    const names = [...this.#servers.names, ...(await this.#externalNames())];
    const listed = await Promise.all(
      names.map((name) =>
        listOf(name).catch((error): Result => ({ ...empty, errors: { [name]: messageOf(error) } })),
      ),
    );
    return listed.reduce(joined, empty);
  }

  async #resourcesOf(name: string, isNamed: boolean): Promise<McpListResourcesResult> {
    const client = this.#clientOf(name);
    if (client === undefined) {
      return this.#viaAgent(name, () => this.#agent.control('mcp_list_resources', { serverName: name }));
    }
    if (!isNamed && !(await client.has('resources'))) {
      return { resources: [], resourceTemplates: [], errors: {} };
    }
    const [resources, resourceTemplates] = await Promise.all([
      client.list<McpResource>('resources/list'),
      client.list<McpResourceTemplate>('resources/templates/list').catch(noneWhenUnknown),
    ]);
    return {
      resources: withServer(name, resources),
      resourceTemplates: withServer(name, resourceTemplates),
      errors: {},
    };
  }

  async #promptsOf(name: string, isNamed: boolean): Promise<McpListPromptsResult> {
    const client = this.#clientOf(name);
    if (client === undefined) {
      return this.#viaAgent(name, () => this.#agent.control('mcp_list_prompts', { serverName: name }));
    }
    if (!isNamed && !(await client.has('prompts'))) return { prompts: [], errors: {} };
    return { prompts: withServer(name, await client.list<McpPrompt>('prompts/list')), errors: {} };
  }

  /** The host's own connection to an in-process server, kept as long as the server is the same. */
  #clientOf(name: string): HostClient | undefined {
    const instance = this.#servers.instanceOf(name);
    const known = this.#clients.get(name);
    if (known !== undefined && known.instance === instance) return known.client;
    known?.client.close();
    this.#clients.delete(name);
    if (instance === undefined) return undefined;
    const client = new HostClient(name, instance);
    this.#clients.set(name, { instance, client });
    return client;
  }

  async #viaAgent<Payload>(serverName: string, ask: () => Promise<Payload>): Promise<Payload> {
    try {
      return await ask();
    } catch (error) {
      const isRefused =
        ControlError.is(error) &&
        error instanceof ControlError &&
        (error.errorCode === 'unsupported_request' ||
          /ui:\/\/|Unsupported control request/.test(error.message));
      if (!isRefused) throw error;
      throw new TenonError(
        'NOT_SUPPORTED',
        `Claude Code does not let its host read resources or prompts of the server "${serverName}", which it has ` +
          'connected itself (only resources with a ui:// address). Give the server as ' +
          `\`${serverName}: proxyMcpServer(config)\` in \`mcpServers\`, or use \`runtime: embedded(…)\`.`,
        { cause: error },
      );
    }
  }
}

/** Servers with resources need not support templates. */
function noneWhenUnknown(error: unknown): never[] {
  const { cause } = error as { cause?: unknown };
  if (cause instanceof JsonRpcFault && cause.code === METHOD_NOT_FOUND) return [];
  throw error;
}

function withServer<Item extends { server: string }>(server: string, items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item, server }));
}

/** Joins two results key by key, including errors. */
function joined<Result extends object>(one: Result, other: Result): Result {
  const entries = Object.keys(one).map((key) => {
    const [left, right] = [one, other].map((each) => (each as Record<string, unknown>)[key]);
    return [
      key,
      Array.isArray(left)
        ? [...left, ...(right as unknown[])]
        : { ...(left as object), ...(right as object) },
    ];
  });
  return Object.fromEntries(entries) as Result;
}

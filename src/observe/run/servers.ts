import { mcpToolName } from '../../mcp/tool-names.js';
import type { ControlCall } from './control-calls.js';
import { type Fields, fieldsOf, recordsOf, stringOf, stringsOf } from './values.js';

export interface ListedTool {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: Fields | undefined;
  /** Marked so that it is in every prompt. */
  readonly alwaysLoad: boolean;
}

/** What the tape tells about one MCP server. */
export interface ServerFacts {
  readonly name: string;
  /** Who has named it first. */
  readonly definedBy: 'options' | 'agent';
  readonly frame: number | undefined;
  isInProcess: boolean;
  /** As the agent says: `connected`, `failed`, `needs-auth`, `pending`, `disabled`. */
  status: string | undefined;
  error: string | undefined;
  statusFrame: number | undefined;
  /** Undefined if nobody has listed them. */
  tools: readonly ListedTool[] | undefined;
  listFrame: number | undefined;
  alwaysLoad: boolean;
}

/** The servers of a run, by name. */
export class Servers {
  readonly #byName = new Map<string, ServerFacts>();

  constructor(options: Fields) {
    for (const name of stringsOf(options.mcpServers)) this.#server(name, undefined);
  }

  get all(): readonly ServerFacts[] {
    return [...this.#byName.values()];
  }

  /** The host's request `initialize`, or one for other servers. */
  configured({ subtype, request, frame }: ControlCall): void {
    if (subtype === 'mcp_set_servers') {
      for (const [name, config] of Object.entries(fieldsOf(request.servers))) {
        const server = this.#server(name, frame);
        server.isInProcess ||= fieldsOf(config).type === 'sdk';
      }
    }
    if (subtype !== 'initialize') return;
    for (const name of stringsOf(request.sdkMcpServers)) this.#server(name, frame).isInProcess = true;
    for (const [name, config] of Object.entries(fieldsOf(request.sdkMcpServerConfigs))) {
      this.#server(name, frame).alwaysLoad = fieldsOf(config).alwaysLoad === true;
    }
    for (const [name, manifest] of Object.entries(fieldsOf(request.sdkMcpServerManifests))) {
      const { tools } = fieldsOf(fieldsOf(manifest).toolsListResult);
      this.#listed(this.#server(name, frame), tools, frame, false);
    }
  }

  /** The message `init`, with which every turn begins. */
  reported(servers: unknown, frame: number): void {
    for (const each of recordsOf(servers)) {
      const name = stringOf(each.name);
      if (name === undefined) continue;
      const server = this.#server(name, frame, 'agent');
      server.status = stringOf(each.status) ?? server.status;
      server.error = stringOf(each.error) ?? server.error;
      server.statusFrame = frame;
      if (Array.isArray(each.tools) && server.tools === undefined) {
        this.#listed(server, each.tools, frame, false);
      }
    }
  }

  /** What an in-process server, or the agent, has answered. */
  answered({ subtype, request, answer, outcome, lastFrame = 0 }: ControlCall): void {
    if (outcome !== 'ok') return;
    if (subtype === 'mcp_status') this.reported(fieldsOf(answer).mcpServers, lastFrame);
    if (subtype !== 'mcp_message') return;
    const message = fieldsOf(request.message);
    const { result } = fieldsOf(fieldsOf(answer).mcp_response);
    const name = stringOf(request.server_name);
    if (name === undefined || result === undefined) return;
    const server = this.#server(name, lastFrame);
    server.isInProcess = true;
    if (message.method === 'initialize') server.status ??= 'connected';
    if (message.method !== 'tools/list') return;
    const isPage = fieldsOf(message.params).cursor !== undefined;
    this.#listed(server, fieldsOf(result).tools, lastFrame, isPage);
  }

  #server(
    name: string,
    frame: number | undefined,
    definedBy: ServerFacts['definedBy'] = 'options',
  ): ServerFacts {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const server: ServerFacts = {
      name,
      definedBy,
      frame,
      isInProcess: false,
      status: undefined,
      error: undefined,
      statusFrame: undefined,
      tools: undefined,
      listFrame: undefined,
      alwaysLoad: false,
    };
    this.#byName.set(name, server);
    return server;
  }

  #listed(server: ServerFacts, tools: unknown, frame: number, isPage: boolean): void {
    const found = recordsOf(tools).flatMap((tool): ListedTool[] => {
      const name = stringOf(tool.name);
      if (name === undefined) return [];
      return [
        {
          name,
          description: stringOf(tool.description),
          inputSchema: tool.inputSchema === undefined ? undefined : fieldsOf(tool.inputSchema),
          alwaysLoad: fieldsOf(tool._meta)['anthropic/alwaysLoad'] === true,
        },
      ];
    });
    server.tools = isPage ? [...(server.tools ?? []), ...found] : found;
    server.listFrame = frame;
  }
}

/** The name by which the model knows the tool. */
export function fullName(server: ServerFacts, tool: ListedTool): string {
  return mcpToolName(server.name, tool.name);
}

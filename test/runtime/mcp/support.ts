/** The hub alone, with a host that answers nothing unless it is told how. */

import type { McpServerStatus } from '../../../src/mcp/status.js';
import type { CallToolResult, McpServerConfigForProcessTransport } from '../../../src/mcp/types.js';
import { startProgram } from '../../../src/mcp/upstream/start-program.js';
import { messageOf } from '../../../src/protocol/base/errors.js';
import type { AgentSubtype } from '../../../src/protocol/wire/control-requests.js';
import type { Host } from '../../../src/runtime/host.js';
import { McpHub, type McpHubOptions } from '../../../src/runtime/mcp/hub.js';
import { waitUntil } from '../../support/real-cli.js';

export interface HubOptions extends Partial<McpHubOptions> {
  answer?: (subtype: AgentSubtype, fields: Record<string, unknown>, signal?: AbortSignal) => unknown;
}

/** A hub with these servers; `await using` ends them. */
export function openHub(
  servers: Record<string, McpServerConfigForProcessTransport>,
  { answer, ...options }: HubOptions = {},
): TestHub {
  const host: Host = {
    ask: async (subtype, fields, { signal } = {}) => {
      if (answer === undefined) throw new Error(`The host was asked: ${subtype}`);
      return answer(subtype, fields as Record<string, unknown>, signal) as never;
    },
  };
  return new TestHub(servers, {
    host,
    cwd: process.cwd(),
    startProgram,
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    reconnect: { firstMs: 20, maxMs: 200 },
    ...options,
  });
}

export class TestHub implements AsyncDisposable {
  readonly hub: McpHub;

  constructor(servers: Record<string, McpServerConfigForProcessTransport>, options: McpHubOptions) {
    this.hub = new McpHub(options);
    for (const [name, config] of Object.entries(servers)) this.hub.addConfigured(name, config);
  }

  status(name = 's'): McpServerStatus {
    const found = this.hub.status().find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no server ${name}.`);
    return found;
  }

  async until(status: McpServerStatus['status'], name = 's'): Promise<McpServerStatus> {
    try {
      await waitUntil(() => this.status(name).status === status, { what: status });
    } catch (error) {
      throw new Error(`${messageOf(error)}: ${JSON.stringify(this.status(name))}`);
    }
    return this.status(name);
  }

  call(
    tool: string,
    args: Record<string, unknown> = {},
    { server = 's', ...options }: { server?: string; signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<CallToolResult> {
    return this.hub.required(server).callTool(tool, args, 'toolu_1', options);
  }

  /** The text of a result. */
  async text(tool: string, args: Record<string, unknown> = {}, server = 's'): Promise<string> {
    const { content, isError } = await this.call(tool, args, { server });
    const text = content.map((block) => ('text' in block ? block.text : `[${block.type}]`)).join('\n');
    return isError ? `ERROR ${text}` : text;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.hub.close();
  }
}

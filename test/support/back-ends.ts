/** The two agents that everything about MCP servers has to work with: the real CLI, and the embedded runtime. */
import { type McpServerConfig, type Options, query, type SDKMessage } from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import {
  type Script,
  type ScriptedModel,
  type ScriptStep,
  scriptedModel,
  toolUse,
} from '../../src/testing/index.js';
import { collect, type Sandbox, sandbox } from './real-cli.js';
import { scriptedCli } from './scripted-cli.js';

/** What the model answers; a single call may be written by the name of its tool. */
export type Answer = ScriptStep | { tool: string; input?: Record<string, unknown> };

export interface Running extends AsyncDisposable {
  box: Sandbox;
  /** Options of a query in the sandbox, with this agent. */
  options(more?: Options): Options;
  /** The names of the tools in each request that the model got. */
  offered(): string[][];
  /** All that the model was sent, as text. */
  sent(): string;
  /** What plays the script: its requests, and whether it was played to its end. */
  player: Pick<ScriptedModel, 'requests' | 'waitForRequest' | 'assertDone'>;
}

export interface BackEnd {
  name: string;
  isCli: boolean;
  start(script: Script | readonly Answer[], box?: Sandbox): Promise<Running>;
}

const claudeCode: BackEnd = {
  name: 'Claude Code',
  isCli: true,
  start: async (script, box = sandbox()) => {
    const cli = await scriptedCli(asScript(script), box);
    return {
      box,
      options: ({ env, ...more } = {}) => cli.options({ ...more, env: { ENABLE_TOOL_SEARCH: '0', ...env } }),
      offered: () => cli.api.requests.map(({ toolNames }) => [...toolNames]),
      sent: () => JSON.stringify(cli.api.requests.map(({ body }) => body)),
      player: cli.api,
      [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
    };
  },
};

const runtime: BackEnd = {
  name: 'the embedded runtime',
  isCli: false,
  start: async (script, box = sandbox()) => {
    const model = scriptedModel(asScript(script));
    return {
      box,
      options: ({ env: more, ...rest } = {}) => ({
        runtime: embedded({ model, mcpConnectTimeoutMs: Number(more?.MCP_TIMEOUT ?? 30_000) }),
        cwd: box.cwd,
        ...rest,
        env: { ...box.env(), ...more },
      }),
      offered: () => model.requests.map(({ toolNames }) => [...toolNames]),
      sent: () => JSON.stringify(model.requests.map(({ body }) => body)),
      player: model,
      [Symbol.asyncDispose]: () => box[Symbol.asyncDispose](),
    };
  },
};

function asScript(script: Script | readonly Answer[]): Script {
  if (typeof script === 'function') return script;
  return script.map((answer) =>
    typeof answer === 'object' && 'tool' in answer ? toolUse(answer.tool, answer.input) : answer,
  );
}

export const BACK_ENDS: readonly BackEnd[] = [claudeCode, runtime];

/** One prompt to its end. */
export async function ask(
  options: Options,
  prompt = 'Go.',
): Promise<{ messages: SDKMessage[]; error: unknown }> {
  return collect(query({ prompt, options }));
}

/** The texts of all tool results, in order. */
export function resultsOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user') return [];
    const { content } = message.message as { content: unknown };
    if (!Array.isArray(content)) return [];
    return content
      .filter(({ type }) => type === 'tool_result')
      .map(({ content: said }) =>
        typeof said === 'string'
          ? said
          : (said as { text?: string }[]).map((block) => block.text ?? '').join(''),
      );
  });
}

/** The servers that the first line of a turn names. */
export function serversOf(messages: readonly SDKMessage[]): { name: string; status: string }[] {
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  return (
    (init as unknown as { mcp_servers: { name: string; status: string }[] } | undefined)?.mcp_servers ?? []
  );
}

export type Servers = Record<string, McpServerConfig>;

/** Queries whose PreToolUse hook may defer calls, on any back end. */
import { expect } from 'vitest';
import {
  createSdkMcpServer,
  type HookPermissionDecision,
  type Options,
  query,
  type SDKMessage,
  tool,
} from '../../../src/index.js';
import { type RequestBlock, type ScriptedRequest, toolUse } from '../../../src/testing/index.js';
import type { Running } from '../../support/back-ends.js';
import { collect } from '../../support/real-cli.js';

export type Result = Extract<SDKMessage, { type: 'result' }>;

export interface Seen {
  /** What the hook was asked, and what ran. */
  happened: string[];
  /** Without those that say that the server is not there yet: the CLI tries before it knows the host's servers. */
  results: Result[];
  unavailable: number;
  messages: SDKMessage[];
  error: unknown;
}

export type Decide = (name: string) => HookPermissionDecision | undefined;

/** One query, whose PreToolUse hook decides. */
export async function ask(
  running: Running,
  prompt: string,
  decide: Decide,
  more: Options = {},
): Promise<Seen> {
  const happened: string[] = [];
  const named = (name: string) =>
    tool(name, `The tool ${name}`, {}, async (_args, { idempotencyKey, sessionId, toolUseId }) => {
      expect(idempotencyKey).toBe(`${sessionId}:${toolUseId}`);
      happened.push(name);
      return `Result of ${name}.`;
    });
  const s = createSdkMcpServer({ name: 's', tools: ['write', 'read', 'send'].map(named), alwaysLoad: true });
  const { messages, error } = await collect(
    query({
      prompt,
      options: running.options({
        mcpServers: { s },
        allowedTools: ['mcp__s__*', 'Agent', 'Task'],
        settingSources: [],
        throwOnErrorResult: false,
        hooks: {
          PreToolUse: [
            {
              matcher: 'mcp__s__.*',
              hooks: [
                async (input) => {
                  const { tool_name, tool_use_id } = input as { tool_name: string; tool_use_id: string };
                  const permissionDecision = decide(tool_name.replace('mcp__s__', ''));
                  happened.push(`${permissionDecision ?? 'no objection'}: ${tool_use_id}`);
                  const hookEventName = 'PreToolUse' as const;
                  return { hookSpecificOutput: { hookEventName, permissionDecision } };
                },
              ],
            },
          ],
        },
        ...more,
      }),
    }),
  );
  const results = messages.filter((message) => message.type === 'result');
  const isUnavailable = ({ terminal_reason }: Result): boolean =>
    terminal_reason === 'tool_deferred_unavailable';
  return {
    happened,
    messages,
    error,
    results: results.filter((result) => !isUnavailable(result)),
    unavailable: results.filter(isUnavailable).length,
  };
}

export const write = toolUse('mcp__s__write', { x: 1 }, { id: 'toolu_write' });
export const always =
  (decision: HookPermissionDecision | undefined): Decide =>
  () =>
    decision;

/** What the model read since its last answer, without what the CLI tells it of itself. */
export function lastRead(requests: readonly ScriptedRequest[]): string[] {
  const messages = requests.at(-1)?.messages ?? [];
  const since = messages.slice(1 + messages.findLastIndex(({ role }) => role === 'assistant'));
  return since.flatMap(({ content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).flatMap((block) => {
      const {
        type,
        text: said = '',
        tool_use_id: id,
        content: result,
      } = block as RequestBlock & {
        text?: string;
        content?: string | { text?: string }[];
      };
      if (type === 'text') return /^(<system|# Environment)/.test(said) ? [] : [said];
      const words = typeof result === 'string' ? result : result?.map((each) => each.text).join('');
      return [`${id}: ${words}`];
    }),
  );
}

/** One conversation of several prompts, each after the result of the one before. */
export async function talk(running: Running, prompts: string[], decide: Decide, more: Options) {
  let next = (): void => {};
  async function* all() {
    for (const content of prompts) {
      const answered = new Promise<void>((resolve) => {
        next = resolve;
      });
      yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
      await answered;
    }
  }
  const results: Result[] = [];
  const hook = async () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse' as const, permissionDecision: decide('write') },
  });
  const s = createSdkMcpServer({
    name: 's',
    tools: [tool('write', 'Writes', {}, () => 'x')],
    alwaysLoad: true,
  });
  const hooks = { PreToolUse: [{ hooks: [hook] }] };
  const options = running.options({ mcpServers: { s }, settingSources: [], hooks, ...more });
  for await (const message of query({ prompt: all() as never, options })) {
    if (message.type !== 'result') continue;
    results.push(message);
    next();
  }
  return { results };
}

/** One query of the real CLI with in-process servers against a scripted model, and what that model got to see. */
import { expect } from 'vitest';
import { type McpServerConfig, type Options, type Query, query, type SDKMessage } from '../../src/index.js';
import type { Script, ScriptedMessagesApi, ToolResultBlock } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scriptedCli } from '../support/scripted-cli.js';

export interface Run {
  messages: SDKMessage[];
  error: unknown;
  api: ScriptedMessagesApi;
  /** Every tool result that the model was sent, by the id of its call. */
  told: Map<string, ToolResultBlock>;
}

export interface Setting {
  servers: Record<string, McpServerConfig>;
  script: Script;
  options?: Options;
  /** Called when the query has begun. */
  during?(running: Query, api: ScriptedMessagesApi): void | Promise<void>;
}

/** Runs to the end; the script must be used up, and the run must have succeeded unless the test looks itself. */
export async function runCli({ servers, script, options = {}, during }: Setting): Promise<Run> {
  await using cli = await scriptedCli(script);
  const { api } = cli;
  const running = query({
    prompt: 'Go.',
    options: cli.options({
      // All tools in the prompt: what is asserted is what the model is told of them.
      env: { ENABLE_TOOL_SEARCH: '0' },
      mcpServers: servers,
      allowedTools: [
        ...Object.keys(servers).map((name) => `mcp__${name}__*`),
        ...(options.allowedTools ?? []),
      ],
      settingSources: [],
      ...without(options),
    }),
  });
  const [{ messages, error }] = await Promise.all([collect(running), during?.(running, api)]);
  api.assertDone();
  const told = new Map<string, ToolResultBlock>();
  for (const request of api.requests) {
    for (const result of request.toolResults) told.set(result.tool_use_id, result);
  }
  return { messages, error, api, told };
}

function without({ allowedTools: _allowedTools, ...rest }: Options): Options {
  return rest;
}

/** The content of a result, as blocks. */
export function blocksOf(result: ToolResultBlock | undefined): readonly Record<string, unknown>[] {
  const content = result?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** All words of a result. */
export function wordsOf(result: ToolResultBlock | undefined): string {
  return blocksOf(result)
    .map((block) => (typeof block.text === 'string' ? block.text : ''))
    .join('\n');
}

export function succeeded({ messages, error }: Run): void {
  expect(error).toBeUndefined();
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
}

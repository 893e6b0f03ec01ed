// Only compiled: values and types of the packages, of zod and of the SDK meet.
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import type { SDKResultMessage } from '@anthropic-ai/claude-agent-sdk/core';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import { tool } from 'ai';
import {
  type CanUseTool,
  createAiSdkMcpServer,
  createClaudeCode,
  createCustomMcpServer,
  createSdkMcpServer,
  type HookCallback,
  type Options,
  type SDKMessage,
  startup,
} from 'ai-sdk-provider-claude-code';
import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
import { z } from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const calc = createCustomMcpServer({
  name: 'calc',
  version: '1.0.0',
  tools: {
    add: {
      description: 'Adds',
      inputSchema,
      handler: async ({ a, b }) => ({ content: [{ type: 'text', text: String(Number(a) + Number(b)) }] }),
    },
  },
});
const bridged = createAiSdkMcpServer('bridged', {
  add: tool({ description: 'Adds', inputSchema, execute: async ({ a, b }) => a + b }),
});
const empty = createSdkMcpServer({ name: 'empty' });
const canUseTool: CanUseTool = async (name, input, { signal }) =>
  name === 'Bash' || signal.aborted
    ? { behavior: 'deny', message: 'no' }
    : { behavior: 'allow', updatedInput: input };

const noted: HookCallback = async (input, toolUseId) => ({ reason: `${input.session_id} ${toolUseId}` });

export const model = createClaudeCode({
  defaultSettings: {
    mcpServers: { calc, bridged, empty },
    canUseTool,
    onQueryCreated: (query) => void query.setPermissionMode('plan'),
  },
})('sonnet');

const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [noted] }] };
const options: Options = { mcpServers: { calc }, canUseTool, hooks };

export async function answers(): Promise<string[]> {
  const texts: string[] = [];
  const take = (message: SDKMessage): void => {
    if (message.type === 'result' && message.subtype === 'success') texts.push(message.result);
  };
  const instrumented = new ClaudeAgentSDKInstrumentation().manuallyInstrument(sdk);
  for await (const message of instrumented.query({ prompt: 'One', options })) take(message);
  for await (const message of wrapClaudeAgentSDK(sdk).query({ prompt: 'Two', options })) take(message);
  const warm = await startup({ options });
  for await (const message of warm.query('Three')) take(message);
  return texts;
}

export const isFinal = (result: SDKResultMessage): boolean =>
  result.subtype === 'success' && !result.is_error;

// @ts-expect-error: the types are known, so a wrong one is found.
options.mcpServers = 42;

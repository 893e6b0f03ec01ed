/** The in-process server that most scenarios use. */
import { z } from 'zod';
import type { McpServerConfig, SDKMessage, SDKResultMessage } from '../../../src/index.js';
import type { ToolResultBlock } from '../../../src/testing/index.js';
import type { Context, Outcome } from './scenario.js';

type CallToolResult = { content: object[]; [key: string]: unknown };

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** `add`, as in the first example of every README. */
export function calc(context: Context): Record<string, McpServerConfig> {
  const { tool, createSdkMcpServer } = context.sdk;
  const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => {
    context.note('add', { a, b });
    return textResult(String(a + b));
  });
  return { calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add], alwaysLoad: true }) };
}

/** One tool without arguments, whatever it does. */
export function serverWith(
  context: Context,
  name: string,
  handler: (args: Record<string, unknown>, extra: { signal: AbortSignal }) => unknown,
): Record<string, McpServerConfig> {
  const { tool, createSdkMcpServer } = context.sdk;
  const only = tool(name, `The tool ${name}`, {}, async (args, extra) => {
    context.note(name, args);
    return (await handler(args, extra)) as CallToolResult;
  });
  return { calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [only], alwaysLoad: true }) };
}

export function results(outcome: Outcome): SDKResultMessage[] {
  return outcome.messages.filter((message): message is SDKResultMessage => message.type === 'result');
}

/** What the model was told about its calls, in the request with this index. */
export function toolResults(outcome: Outcome, request = 1): readonly ToolResultBlock[] {
  return outcome.requests[request]?.toolResults ?? [];
}

export function kinds(messages: readonly SDKMessage[]): string[] {
  return messages.map((message) =>
    'subtype' in message && message.type !== 'result' ? `${message.type}/${message.subtype}` : message.type,
  );
}

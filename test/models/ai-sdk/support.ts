/** Conversations with the real provider packages, on a server that shows what they send. */
import { createSdkMcpServer, type Options, query, tool } from '../../../src/index.js';
import { type AiSdkOptions, aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { embedded, type RuntimeConfig } from '../../../src/runtime/index.js';
import type { Loose } from '../../runtime/support.js';
import type { ProviderCell } from './providers.js';
import { type Step, type WireServer, wireServer } from './wire-server.js';

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const anything = { type: 'object' as const, properties: {}, additionalProperties: true };

/** A server "s" with two tools: one answers with text, the other with an image. */
export function tools() {
  const calls: string[] = [];
  const say = tool('say', 'Says something', anything, (input) => {
    calls.push(JSON.stringify(input));
    return 'Said.';
  });
  const draw = tool('draw', 'Draws', anything, () => ({
    content: [
      { type: 'text', text: 'A dot:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ],
  }));
  return { calls, server: createSdkMcpServer({ name: 's', tools: [say, draw] }) };
}

export interface Conversation {
  messages: Loose[];
  result: Loose;
  calls: string[];
  requests: WireServer['requests'];
}

export interface Settings {
  options?: Options;
  config?: Omit<RuntimeConfig, 'model'>;
  adapter?: AiSdkOptions;
}

/** One prompt to its end. */
export async function converse(
  { model }: ProviderCell,
  steps: readonly Step[],
  { options, config, adapter }: Settings = {},
): Promise<Conversation> {
  await using server = await wireServer(steps);
  const { calls, server: s } = tools();
  const messages: Loose[] = [];
  const runtime = embedded({
    model: aiSdk(await model(server.url), { maxRetries: 0, ...adapter }),
    ...config,
  });
  const given = {
    mcpServers: { s },
    allowedTools: ['mcp__s'],
    throwOnErrorResult: false,
    ...options,
    runtime,
  };
  for await (const message of query({ prompt: 'Go.', options: given }))
    messages.push(message as unknown as Loose);
  return { messages, result: messages.at(-1) as Loose, calls, requests: server.requests };
}

/** One conversation with the real CLI, and the same with the runtime: the same options, the same scripted Messages API. */
import { type CanUseTool, createSdkMcpServer, createSession, type Options, tool } from '../../src/index.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded } from '../../src/runtime/index.js';
import { type Script, type ScriptedMessagesApi, scriptedMessagesApi } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import type { Loose } from './support.js';

export const BACK_ENDS = ['the CLI', 'the runtime'] as const;
export type BackEnd = (typeof BACK_ENDS)[number];

export interface Outcome {
  /** Names of the tools whose handlers ran, in order, and what they were given. */
  ran: string[];
  inputs: unknown[];
  /** What the host was asked about. */
  asked: string[];
  messages: Loose[];
  results: Loose[];
  api: ScriptedMessagesApi;
}

/** Asks a server "s" with the tools `read` (read-only) and `write`; one prompt after another. */
export async function converse(
  backEnd: BackEnd,
  script: Script,
  { canUseTool, ...options }: Options,
  prompts: readonly string[] = ['Go.'],
): Promise<Outcome> {
  await using box = sandbox();
  await using api = await scriptedMessagesApi(script);
  const outcome: Outcome = { ran: [], inputs: [], asked: [], messages: [], results: [], api };
  // IS_SANDBOX: tests may run as root, where the CLI has no bypassPermissions otherwise.
  const env = box.env(api, { ENABLE_TOOL_SEARCH: '0', IS_SANDBOX: '1' });
  const { ANTHROPIC_BASE_URL: baseURL } = api.env();
  const session = createSession({
    ...(backEnd === 'the CLI'
      ? { pathToClaudeCodeExecutable: cliPath }
      : { runtime: embedded({ model: anthropic({ baseURL, apiKey: 'test' }) }) }),
    cwd: box.cwd,
    env,
    mcpServers: { s: serverOf(outcome) },
    // The CLI would put its own safety check, which needs the network, in the place of questions.
    settings: { useAutoModeDuringPlan: false },
    settingSources: [],
    ...(canUseTool === undefined ? {} : { canUseTool: listening(canUseTool, outcome) }),
    ...options,
  });
  for (const prompt of prompts) {
    session.send(prompt);
    for await (const message of session.stream()) outcome.messages.push(message as unknown as Loose);
  }
  await session.close();
  outcome.results = outcome.messages.filter(({ type }) => type === 'result');
  return outcome;
}

function serverOf({ ran, inputs }: Outcome) {
  const anything = { type: 'object' as const, properties: {}, additionalProperties: true };
  const named = (name: string, readOnlyHint: boolean) =>
    tool(
      name,
      `The tool ${name}`,
      anything,
      (input) => {
        ran.push(name);
        inputs.push(input);
        return `Result of ${name}.`;
      },
      { annotations: { readOnlyHint } },
    );
  return createSdkMcpServer({ name: 's', tools: [named('read', true), named('write', false)] });
}

function listening(canUseTool: CanUseTool, { asked }: Outcome): CanUseTool {
  return (name, input, context) => {
    asked.push(name.replace('mcp__s__', ''));
    return canUseTool(name, input, context);
  };
}

/** What the model was told of its calls, in order. */
export function told({ api }: Outcome): { text: string; isError: boolean }[] {
  const results = new Map<string, { text: string; isError: boolean }>();
  for (const request of api.requests) {
    for (const { tool_use_id, content, is_error } of request.toolResults) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      results.set(tool_use_id, { text, isError: is_error === true });
    }
  }
  return [...results.values()];
}

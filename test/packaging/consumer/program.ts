// A program written for the official SDK. It is compiled against that, and, with nothing changed, against Tenon.
import {
  AbortError,
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type HookInput,
  type HookJSONOutput,
  type McpServerConfig,
  type Options,
  type PermissionMode,
  type PermissionResult,
  type PermissionUpdate,
  type Query,
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKPartialAssistantMessage,
  type SDKResultMessage,
  type SDKSystemMessage,
  type SDKUserMessage,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const add = tool(
  'add',
  'Add two numbers',
  { a: z.number().describe('First'), b: z.number(), note: z.string().optional() },
  async ({ a, b, note }) => ({ content: [{ type: 'text', text: `${a + b}${note?.toUpperCase() ?? ''}` }] }),
  { annotations: { readOnlyHint: true } },
);

const fails = tool('fails', 'Fails', {}, async () => ({
  content: [{ type: 'text' as const, text: 'no' }],
  isError: true,
}));

const calculator = createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add, fails] });

const canUseTool: CanUseTool = async (toolName, input, { signal, suggestions }) => {
  if (signal.aborted || toolName.startsWith('Bash'))
    return { behavior: 'deny', message: 'No.', interrupt: true };
  const updatedPermissions: PermissionUpdate[] = suggestions ?? [];
  const result: PermissionResult = { behavior: 'allow', updatedInput: input, updatedPermissions };
  return result;
};

const log: HookCallback = async (input: HookInput, toolUseID, { signal }): Promise<HookJSONOutput> => {
  if (signal.aborted) return { continue: false, stopReason: 'aborted' };
  if (input.hook_event_name === 'PreToolUse') {
    const { tool_name } = input;
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: tool_name === 'Bash' ? 'deny' : 'allow',
        permissionDecisionReason: toolUseID ?? 'none',
      },
    };
  }
  return {};
};

const servers: Record<string, McpServerConfig> = {
  calc: calculator,
  files: { type: 'stdio', command: 'npx', args: ['server'], env: { TOKEN: 'x' } },
  remote: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'x' } },
  old: { type: 'sse', url: 'https://example.com/sse' },
};

const mode: PermissionMode = 'acceptEdits';

const options: Options = {
  abortController: new AbortController(),
  additionalDirectories: ['/tmp'],
  agents: { reviewer: { description: 'Reviews', prompt: 'Review.', tools: ['Read'], model: 'haiku' } },
  allowedTools: ['mcp__calc__*'],
  canUseTool,
  cwd: process.cwd(),
  env: { ...process.env, EXTRA: '1' },
  extraArgs: { 'some-flag': null, other: 'value' },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [log], timeout: 5 }], Stop: [{ hooks: [log] }] },
  includePartialMessages: true,
  maxTurns: 5,
  mcpServers: servers,
  model: 'sonnet',
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  permissionMode: mode,
  settingSources: ['project'],
  stderr: (data: string) => process.stderr.write(data),
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
  thinking: { type: 'enabled', budgetTokens: 1_000 },
};

async function* conversation(): AsyncGenerator<SDKUserMessage> {
  yield {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text: 'What is 15 + 27?' }] },
    parent_tool_use_id: null,
  };
  yield { type: 'user', message: { role: 'user', content: 'And 1 + 1?' }, parent_tool_use_id: null };
}

export function show(message: SDKMessage): string {
  if (message.type === 'system' && message.subtype === 'init') {
    const init: SDKSystemMessage = message;
    return init.mcp_servers.map((server) => `${server.name}: ${server.status}`).join();
  }
  if (message.type === 'assistant') {
    const assistant: SDKAssistantMessage = message;
    const names = assistant.message.content.map((block) =>
      block.type === 'tool_use' ? block.name : block.type,
    );
    return `${assistant.message.model} ${names.join()} ${assistant.parent_tool_use_id ?? ''}`;
  }
  if (message.type === 'stream_event') {
    const partial: SDKPartialAssistantMessage = message;
    const { event } = partial;
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') return event.delta.text;
  }
  if (message.type === 'result') {
    const result: SDKResultMessage = message;
    const tokens = result.usage.input_tokens + result.usage.output_tokens;
    const text = result.subtype === 'success' ? result.result : result.errors.join();
    return `${text} ${result.total_cost_usd} ${tokens} ${result.permission_denials.length}`;
  }
  return '';
}

export async function run(): Promise<void> {
  const running: Query = query({ prompt: conversation(), options });
  try {
    for await (const message of running) console.log(show(message));
  } catch (error) {
    if (error instanceof AbortError) return;
    throw error;
  }
  await running.interrupt();
  await running.setModel('opus');
  await running.setPermissionMode('plan');
  await running.setMaxThinkingTokens(null);
  const commands = await running.supportedCommands();
  const models = await running.supportedModels();
  const statuses = await running.mcpServerStatus();
  const account = await running.accountInfo();
  const { added, removed, errors } = await running.setMcpServers({ calc: calculator });
  await running.reconnectMcpServer('files');
  await running.toggleMcpServer('files', false);
  await running.streamInput(conversation());
  const usage = await running.getContextUsage();
  const { canRewind } = await running.rewindFiles('id', { dryRun: true });
  await running.stopTask('task');
  console.log(commands[0]?.name, models[0]?.value, statuses[0]?.status, account.email, usage.totalTokens);
  console.log(added, removed, errors, canRewind);
  running.close();
}

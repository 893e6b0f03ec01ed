// The names of OpenTelemetry's semantic conventions for GenAI and MCP: those of its package, release 1.45, and the
// metrics of agents and tools, which came after the conventions had moved to a repository of their own
// (open-telemetry/semantic-conventions-genai). They are not stable yet: this file is the only place that knows them.

export const SCOPE = 'tenon';

export const OPERATION = {
  chat: 'chat',
  createAgent: 'create_agent',
  executeTool: 'execute_tool',
  invokeAgent: 'invoke_agent',
} as const;

export type Operation = (typeof OPERATION)[keyof typeof OPERATION];

export const ATTRIBUTE = {
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  errorType: 'error.type',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputMessages: 'gen_ai.input.messages',
  maxTokens: 'gen_ai.request.max_tokens',
  mcpMethod: 'mcp.method.name',
  mcpSession: 'mcp.session.id',
  operation: 'gen_ai.operation.name',
  outputMessages: 'gen_ai.output.messages',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  rpcStatus: 'rpc.response.status_code',
  systemInstructions: 'gen_ai.system_instructions',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  tokenType: 'gen_ai.token.type',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolCallId: 'gen_ai.tool.call.id',
  toolName: 'gen_ai.tool.name',
  toolResult: 'gen_ai.tool.call.result',
  toolType: 'gen_ai.tool.type',
  usageCacheRead: 'gen_ai.usage.cache_read.input_tokens',
  usageCacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
  usageInput: 'gen_ai.usage.input_tokens',
  usageOutput: 'gen_ai.usage.output_tokens',
} as const;

/** What the conventions have no name for. */
export const OWN_ATTRIBUTE = {
  costUsd: 'tenon.usage.cost_usd',
  hostEvent: 'tenon.host.event',
  hostOutcome: 'tenon.host.outcome',
  hostState: 'tenon.host.state',
  mcpServer: 'tenon.mcp.server.name',
  modelRequests: 'tenon.usage.model_requests',
} as const;

export const METRIC = {
  agentDuration: 'gen_ai.invoke_agent.duration',
  mcpClientDuration: 'mcp.client.operation.duration',
  mcpServerDuration: 'mcp.server.operation.duration',
  operationDuration: 'gen_ai.client.operation.duration',
  tokenUsage: 'gen_ai.client.token.usage',
  toolDuration: 'gen_ai.execute_tool.duration',
} as const;

/** The buckets that the conventions ask for. */
export const BUCKETS = {
  mcpSeconds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  seconds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  tokens: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
};

export const TOOLS_CALL = 'tools/call';

/** Values of `error.type`; besides them the names of the protocol and of our own error codes. */
export const ERROR = {
  cancelled: 'cancelled',
  denied: 'permission_denied',
  /** The convention of MCP for a result with `isError`. */
  tool: 'tool_error',
  /** The convention for everything without a name. */
  other: '_OTHER',
} as const;

/** Names of providers in tables of models, and in the conventions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function providerName(known: string): string {
  return PROVIDERS[known] ?? known;
}

interface HostMetric {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** Goes up and down; the others only grow. */
  readonly isGauge: boolean;
}

const now = (name: string, unit: string, description: string): HostMetric => ({
  name: `tenon.host.${name}`,
  unit,
  description,
  isGauge: true,
});

const soFar = (name: string, unit: string, description: string): HostMetric => ({
  ...now(name, unit, description),
  isGauge: false,
});

/** Of hosts, for which there are no conventions; by the fields of `host.stats()`. */
export const HOST_METRIC = {
  sessions: now('conversations', '{conversation}', 'Conversations of all programs on the storage, by state.'),
  running: now('running', '{conversation}', 'Conversations that this program runs.'),
  open: now('open', '{conversation}', 'Conversations in the memory of this program.'),
  processes: now('processes', '{process}', 'Processes of the CLI.'),
  readers: now('readers', '{reader}', 'Readers of events.'),
  turns: soFar('turns', '{turn}', 'Turns that have ended, by outcome.'),
  approvals: soFar(
    'approvals',
    '{question}',
    'Questions to people: asked, answered, and turns put away for them.',
  ),
  evicted: soFar('evicted', '{conversation}', 'Idle conversations that have left the memory.'),
  refused: soFar('refused', '{prompt}', 'Prompts that were refused, because too many waited.'),
  lostLeases: soFar(
    'lost_leases',
    '{lease}',
    'Turns that were given up, because another program had taken over.',
  ),
  retries: soFar('retries', '{turn}', 'Turns that were cut off, to be tried again.'),
} as const;

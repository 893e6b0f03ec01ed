// The two long payloads: the use of the context window, and the use of the plan's limits.

import type { ExtraUsage, SessionUsage } from './messages/usage.js';

type Counted = { name: string; tokens: number };

export type ContextCategoryId =
  | 'system_prompt'
  | 'system_tools'
  | 'mcp_tools'
  | 'mcp_instructions'
  | 'mcp_tools_deferred'
  | 'system_tools_deferred'
  | 'custom_agents'
  | 'memory_files'
  | 'skills'
  | 'messages'
  | 'autocompact_buffer'
  | 'compact_buffer'
  | 'free_space';

export type SDKControlGetContextUsageResponse = {
  categories: (Counted & {
    id?: ContextCategoryId;
    color: string;
    isDeferred?: boolean;
    kind: 'used' | 'free' | 'buffer' | 'deferred';
  })[];
  totalTokens: number;
  maxTokens: number;
  rawMaxTokens: number;
  percentage: number;
  gridRows: {
    color: string;
    isFilled: boolean;
    categoryName: string;
    tokens: number;
    percentage: number;
    squareFullness: number;
  }[][];
  model: string;
  memoryFiles: { path: string; type: string; tokens: number }[];
  mcpTools: (Counted & { serverName: string; isLoaded?: boolean })[];
  mcpInstructions?: { serverName: string; tokens: number }[];
  deferredBuiltinTools?: (Counted & { isLoaded: boolean })[];
  systemTools?: Counted[];
  systemPromptSections?: Counted[];
  agents: { agentType: string; source: string; pluginId?: string; path?: string; tokens: number }[];
  slashCommands?: { totalCommands: number; includedCommands: number; tokens: number };
  skills?: {
    totalSkills: number;
    includedSkills: number;
    tokens: number;
    skillFrontmatter: (Counted & { source: string; pluginName?: string; pluginId?: string; path?: string })[];
  };
  autoCompactThreshold?: number;
  isAutoCompactEnabled: boolean;
  messageBreakdown?: {
    toolCallTokens: number;
    toolResultTokens: number;
    attachmentTokens: number;
    assistantMessageTokens: number;
    userMessageTokens: number;
    redirectedContextTokens: number;
    unattributedTokens: number;
    toolCallsByType: { name: string; callTokens: number; resultTokens: number }[];
    attachmentsByType: Counted[];
  };
  apiUsage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
};

type LimitWindow = { utilization: number | null; resets_at: string | null };

type Share = { name: string; pct: number };

export type UsageBehaviors = {
  request_count: number;
  session_count: number;
  behaviors: {
    key:
      | 'cache_miss'
      | 'long_context'
      | 'subagent_heavy'
      | 'high_parallel'
      | 'cron'
      | 'max_effort'
      | 'workflow'
      | 'always_on_context'
      | 'large_tool_results';
    pct: number;
    count: number;
  }[];
  recommendations?: { key: string; pct: number; title: string; detail?: string }[];
  fix?: { keys: string[]; messages: string[] };
  agents: Share[];
  skills: Share[];
  plugins: Share[];
  mcp_servers: Share[];
};

export type SDKControlGetUsageResponse = {
  session: SessionUsage;
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits: {
    five_hour?: LimitWindow | null;
    seven_day?: LimitWindow | null;
    seven_day_oauth_apps?: LimitWindow | null;
    seven_day_opus?: LimitWindow | null;
    seven_day_sonnet?: LimitWindow | null;
    model_scoped?: (LimitWindow & { display_name: string })[];
    extra_usage?: ExtraUsage | null;
  } | null;
  behaviors: { day: UsageBehaviors; week: UsageBehaviors } | null;
};

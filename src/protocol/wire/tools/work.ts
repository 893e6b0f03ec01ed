// How work is planned, divided and kept apart: agents, tasks, plans, worktrees.

export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  run_in_background?: boolean;
  name?: string;
  team_name?: string;
  mode?: 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan';
  isolation?: 'worktree' | 'remote';
}

export type AgentOutput =
  | {
      status: 'completed';
      agentId: string;
      agentType?: string;
      prompt: string;
      content: { type: 'text'; text: string; citations?: unknown[] | null }[];
      resolvedModel?: string;
      modelsUsed?: string[];
      totalToolUseCount: number;
      totalDurationMs: number;
      totalTokens: number;
      usage: AgentUsage;
      toolsUsed?: string[];
      toolStats?: {
        readCount: number;
        searchCount: number;
        bashCount: number;
        editFileCount: number;
        linesAdded: number;
        linesRemoved: number;
        otherToolCount: number;
        frameCount?: number;
      };
      worktreePath?: string;
      worktreeBranch?: string;
    }
  | {
      status: 'async_launched';
      isAsync?: true;
      agentId: string;
      description: string;
      resolvedModel?: string;
      modelsUsed?: string[];
      prompt: string;
      outputFile: string;
      canReadOutputFile?: boolean;
    }
  | {
      status: 'remote_launched';
      taskId: string;
      sessionUrl: string;
      description: string;
      prompt: string;
      outputFile: string;
    };

interface AgentUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
  service_tier: string | null;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number } | null;
  inference_geo?: string | null;
  speed?: string | null;
  iterations?: unknown;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
  fallback_credit?: unknown;
}

/** A script of its own, or one by its name or path. */
export interface WorkflowInput {
  script?: string;
  name?: string;
  description?: string;
  title?: string;
  args?: { [key: string]: unknown };
  scriptPath?: string;
  resumeFromRunId?: string;
}

export interface WorkflowOutput {
  status: 'async_launched' | 'remote_launched';
  taskId: string;
  taskType?: 'local_workflow' | 'remote_agent';
  workflowName?: string;
  runId?: string;
  summary?: string;
  transcriptDir?: string;
  scriptPath?: string;
  sessionUrl?: string;
  warning?: string;
  error?: string;
}

type TaskStatus = 'pending' | 'in_progress' | 'completed';

export interface TaskCreateInput {
  subject: string;
  description: string;
  /** What is shown while it is in progress: "Running tests". */
  activeForm?: string;
  metadata?: { [key: string]: unknown };
}

export interface TaskCreateOutput {
  task: { id: string; subject: string; description?: string };
}

export interface TaskGetInput {
  taskId: string;
}

export interface TaskGetOutput {
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  } | null;
}

export interface TaskUpdateInput {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: TaskStatus | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: { [key: string]: unknown };
}

export interface TaskUpdateOutput {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
}

// biome-ignore lint/suspicious/noEmptyInterface: it has no fields, and is an interface as in the official typings.
export interface TaskListInput {}

export interface TaskListOutput {
  tasks: { id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }[];
}

interface Todo {
  content: string;
  status: TaskStatus;
  activeForm: string;
}

export interface TodoWriteInput {
  todos: Todo[];
}

export interface TodoWriteOutput {
  oldTodos: Todo[];
  newTodos: Todo[];
}

// biome-ignore lint/suspicious/noEmptyInterface: it has no fields, and is an interface as in the official typings.
export interface EnterPlanModeInput {}

export interface EnterPlanModeOutput {
  message: string;
}

export interface ExitPlanModeInput {
  allowedPrompts?: { tool: 'Bash'; prompt: string }[];
  [key: string]: unknown;
}

export interface ExitPlanModeOutput {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  hasTaskTool?: boolean;
  planWasEdited?: boolean;
  awaitingLeaderApproval?: boolean;
  requestId?: string;
}

/** One of both: a new one, or the path of one that exists. */
export interface EnterWorktreeInput {
  name?: string;
  path?: string;
}

export interface EnterWorktreeOutput {
  worktreePath: string;
  worktreeBranch?: string;
  message: string;
}

export interface ExitWorktreeInput {
  action: 'keep' | 'remove';
  discard_changes?: boolean;
}

export interface ExitWorktreeOutput {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  tmuxSessionName?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
}

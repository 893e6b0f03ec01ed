import type { McpServerConfigForProcessTransport } from '../mcp/types.js';
import type { PermissionMode } from '../protocol/permissions/permissions.js';
import type { AgentDefinition } from '../protocol/wire/agents.js';
import type { SandboxSettings, Settings } from '../protocol/wire/settings.js';
import { childEnvironment } from './environment.js';
import { withExtraSettings } from './joined-settings.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';
import type { ClientSettings, GivenOptions, Placed, Row } from './row.js';

/**
 * How an agent is started: everything a command line can express, typed. The embedded runtime receives the
 * plan itself; for a process it is written as arguments (flags.ts), which `tenon-runtime` reads back into
 * the same plan. Lists are empty and switches false by default; everything else is absent.
 */
export interface AgentPlan {
  addDirectories: readonly string[];
  agent?: string | undefined;
  /** Only from hosts that predate the field in `initialize`. */
  agents?: Record<string, AgentDefinition> | undefined;
  allowBypass: boolean;
  allowedTools: readonly string[];
  appendSystemPrompt?: string | undefined;
  awaitInitialize: boolean;
  betas: readonly string[];
  continue: boolean;
  debug: boolean;
  debugFile?: string | undefined;
  debugToStderr: boolean;
  disallowedTools: readonly string[];
  effort?: string | undefined;
  /** Flags that the plan has no field for, without their dashes; null for a flag without a value. */
  extraArgs?: Readonly<Record<string, string | null>> | undefined;
  fallbackModel?: string | undefined;
  forkSession: boolean;
  includeHookEvents: boolean;
  includePartialMessages: boolean;
  jsonSchema?: Record<string, unknown> | undefined;
  /** The host's own policy. Only its restrictions count. */
  managedSettings?: Settings | undefined;
  maxBudgetUsd?: number | undefined;
  maxThinkingTokens?: number | undefined;
  maxTurns?: number | undefined;
  mcpServers: Readonly<Record<string, McpServerConfigForProcessTransport>>;
  model?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  /** `stdio`: the host is asked. Absent: nobody is asked. */
  permissionPromptTool?: string | undefined;
  permissionPrompts?: string | undefined;
  persistSession: boolean;
  pluginDirectories: readonly string[];
  projectConfigRoot?: string | undefined;
  replayUserMessages: boolean;
  resume?: string | undefined;
  resumeDropsTurn?: string | undefined;
  resumeSessionAt?: string | undefined;
  /** Written into the settings of a process: there is no flag for it. */
  sandbox?: SandboxSettings | undefined;
  sessionId?: string | undefined;
  /** The host wants a copy of what is stored. */
  sessionMirror: boolean;
  /** Which configuration files are read. Absent: all. */
  settingSources?: readonly ('user' | 'project' | 'local')[] | undefined;
  /** Settings for this conversation only: an object, or the path of a file. */
  settings?: Settings | string | undefined;
  /**
   * Files that configure MCP servers are not read, and any error in the servers' configuration ends the
   * program.
   */
  strictMcpConfig: boolean;
  systemPrompt?: string | undefined;
  taskBudget?: number | undefined;
  /** `adaptive` or `disabled`; a number of tokens is in `maxThinkingTokens`. */
  thinking?: string | undefined;
  thinkingDisplay?: string | undefined;
  /** Absent or `default`: all of the agent's built-in tools. */
  tools?: readonly string[] | 'default' | undefined;
}

export function emptyPlan(): AgentPlan {
  return {
    addDirectories: [],
    allowBypass: false,
    allowedTools: [],
    awaitInitialize: false,
    betas: [],
    continue: false,
    debug: false,
    debugToStderr: false,
    disallowedTools: [],
    forkSession: false,
    includeHookEvents: false,
    includePartialMessages: false,
    mcpServers: {},
    persistSession: true,
    pluginDirectories: [],
    replayUserMessages: false,
    sessionMirror: false,
    strictMcpConfig: false,
  };
}

/**
 * Everything a query is started with: how the agent is started, what `initialize` tells it, and the
 * client's settings.
 */
export interface PlannedQuery extends Omit<Placed, 'env'> {
  /** The agent's whole environment. */
  readonly env: NodeJS.ProcessEnv;
}

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];

const DEFAULT_SETTINGS = Object.assign(
  {},
  ...NAMES.map((name) => OPTION_TABLE[name].to.fallback),
) as ClientSettings;

/** MCP servers are not in it: they also depend on files, so whoever starts the agent resolves them. */
export function planOf(options: GivenOptions): PlannedQuery {
  const placed: Placed = {
    plan: emptyPlan(),
    initialize: {},
    env: {},
    settings: { ...DEFAULT_SETTINGS },
  };
  // Without the option, the SDK's contract is an empty system prompt; the agent's own is the preset. A prompt,
  // even an empty one, would replace that of the agent that `agent` names.
  if (options.systemPrompt === undefined && options.agent === undefined) {
    placed.initialize.systemPrompt = [''];
  }
  for (const name of NAMES) {
    const value = options[name];
    if (value !== undefined) (OPTION_TABLE[name] as Row<unknown>).to.put(value, placed, options);
  }
  const hasTwo = options.settings !== undefined && options.extraArgs?.settings != null;
  const plan = hasTwo ? withExtraSettings(placed.plan) : placed.plan;
  return { ...placed, plan, env: childEnvironment(options.env, placed.env) };
}

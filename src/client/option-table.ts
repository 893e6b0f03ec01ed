import type { InitializeRequest } from '../protocol/control-requests.js';
import type { Options, SystemPromptOption } from './options.js';

/**
 * Where each option goes: onto the command line, into `initialize`, into the environment, or nowhere because this
 * side acts on it. One row per option; the compiler refuses a table with a row missing. What a CLI of an older
 * version needs instead is in launch/older-versions.ts, nowhere else.
 */
export interface Placement {
  args?: string[];
  initialize?: InitializeRequest;
  env?: Record<string, string>;
  /** Merged into the CLI's `--settings`. */
  settings?: Record<string, unknown>;
}

type Row<Key extends keyof Options> = (value: NonNullable<Options[Key]>, options: Options) => Placement;

const here: () => Placement = () => ({});
const value =
  (flag: string) =>
  (given: string | number): Placement => ({ args: [`${flag}=${given}`] });
const present =
  (flag: string) =>
  (given: boolean): Placement =>
    given ? { args: [flag] } : {};
const joined =
  (flag: string) =>
  (given: readonly string[]): Placement => ({ args: [`${flag}=${given.join(',')}`] });
const repeated =
  (flag: string) =>
  (given: readonly string[]): Placement => ({ args: given.map((item) => `${flag}=${item}`) });
const field =
  <Field extends keyof InitializeRequest>(name: Field) =>
  (given: NonNullable<InitializeRequest[Field]>): Placement => ({ initialize: { [name]: given } });
const json =
  (flag: string) =>
  (given: unknown): Placement => ({ args: [flag, JSON.stringify(given)] });

export const OPTION_TABLE: { [Key in keyof Required<Options>]: Row<Key> } = {
  additionalDirectories: repeated('--add-dir'),
  agent: value('--agent'),
  agentProgressSummaries: field('agentProgressSummaries'),
  agents: field('agents'),
  allowDangerouslySkipPermissions: present('--allow-dangerously-skip-permissions'),
  allowedTools: (tools) => (tools.length > 0 ? joined('--allowedTools')(tools) : {}),
  betas: (betas) => (betas.length > 0 ? joined('--betas')(betas) : {}),
  canUseTool: () => ({ args: ['--permission-prompt-tool=stdio'] }),
  continue: present('--continue'),
  debug: present('--debug'),
  debugFile: value('--debug-file'),
  disallowedTools: (tools) => (tools.length > 0 ? joined('--disallowedTools')(tools) : {}),
  effort: value('--effort'),
  enableFileCheckpointing: (on) => (on ? { env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' } } : {}),
  extraArgs: (extra) => ({ args: Object.entries(extra).flatMap(extraArgument) }),
  fallbackModel: value('--fallback-model'),
  forkSession: present('--fork-session'),
  forwardSubagentText: field('forwardSubagentText'),
  hermetic: (on) => (on ? { args: ['--strict-mcp-config', '--setting-sources='] } : {}),
  includeHookEvents: present('--include-hook-events'),
  includePartialMessages: present('--include-partial-messages'),
  managedSettings: json('--managed-settings'),
  // Programs give 0 for "no limit", and the official SDK lets them.
  maxBudgetUsd: (dollars) => (dollars === 0 ? {} : value('--max-budget-usd')(dollars)),
  // `thinking` says the same in a newer form and wins.
  maxThinkingTokens: (tokens, { thinking }) =>
    thinking === undefined ? value('--max-thinking-tokens')(tokens) : {},
  maxTurns: (turns) => (turns === 0 ? {} : value('--max-turns')(turns)),
  model: value('--model'),
  // In `initialize` only: a schema can be long, and a `$schema` key in it ends the CLI.
  outputFormat: ({ schema: { $schema: _dialect, ...schema } }) => ({ initialize: { jsonSchema: schema } }),
  perTaskStopAffordance: field('perTaskStopAffordance'),
  permissionMode: value('--permission-mode'),
  permissionPromptToolName: value('--permission-prompt-tool'),
  permissionPrompts: (mode) => (mode === 'none' ? value('--permission-prompts')(mode) : {}),
  persistSession: (persist) => (persist ? {} : { args: ['--no-session-persistence'] }),
  planModeInstructions: field('planModeInstructions'),
  pluginDelivery: (delivery, { plugins = [] }) =>
    delivery === 'initialize' && plugins.length > 0 ? { args: ['--await-initialize'] } : {},
  plugins: (plugins, { pluginDelivery }) =>
    pluginDelivery === 'initialize'
      ? { initialize: { plugins } }
      : repeated('--plugin-dir')(plugins.map(({ path }) => path)),
  projectConfigRoot: value('--project-config-root'),
  promptSuggestions: field('promptSuggestions'),
  resume: value('--resume'),
  resumeDropsTurn: value('--resume-drops-turn'),
  resumeSessionAt: value('--resume-session-at'),
  // Asked for and not to be had must be an error, not a run without a sandbox.
  sandbox: (sandbox) => ({ settings: { sandbox: { failIfUnavailable: true, ...sandbox } } }),
  sessionId: value('--session-id'),
  // A runtime in this process gets the store itself.
  sessionStore: (_store, { runtime }) => (runtime == null ? { args: ['--session-mirror'] } : {}),
  // `hermetic` says it for both.
  settingSources: (sources, { hermetic }) => (hermetic ? {} : joined('--setting-sources')(sources)),
  settings: (settings) =>
    typeof settings === 'string'
      ? { args: ['--settings', settings] }
      : { settings: settings as Record<string, unknown> },
  skills: (skills) =>
    skills === 'all'
      ? { args: ['--allowedTools=Skill'] }
      : {
          args: [`--allowedTools=${skills.map((name) => `Skill(${name})`).join(',')}`],
          initialize: { skills },
        },
  strictMcpConfig: (strict, { hermetic }) => (hermetic ? {} : present('--strict-mcp-config')(strict)),
  supportedDialogKinds: (kinds, { onUserDialog }) =>
    onUserDialog === undefined ? {} : { initialize: { supportedDialogKinds: kinds } },
  systemPrompt: (prompt) => ({ initialize: systemPromptFields(prompt) }),
  taskBudget: ({ total }) => value('--task-budget')(total),
  thinking: (thinking) => ({
    args: [
      ...(thinking.type === 'enabled'
        ? thinking.budgetTokens === undefined
          ? ['--thinking=adaptive']
          : [`--max-thinking-tokens=${thinking.budgetTokens}`]
        : [`--thinking=${thinking.type}`]),
      ...('display' in thinking && thinking.display ? [`--thinking-display=${thinking.display}`] : []),
    ],
  }),
  title: field('title'),
  toolAliases: field('toolAliases'),
  toolConfig: ({ askUserQuestion }) =>
    askUserQuestion?.previewFormat === undefined
      ? {}
      : { env: { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: askUserQuestion.previewFormat } },
  tools: (tools) => (Array.isArray(tools) ? joined('--tools')(tools) : { args: ['--tools=default'] }),

  // This side acts on these.
  abortController: here,
  closeGraceMs: here,
  controlTimeoutMs: here,
  cwd: here,
  env: here,
  executable: here,
  executableArgs: here,
  hooks: here,
  isolation: here,
  loadTimeoutMs: here,
  maxLineBytes: here,
  maxUnreadBytes: here,
  mcpReady: here,
  mcpServers: here,
  onDebug: here,
  onElicitation: here,
  onMcpStatus: here,
  onSampling: here,
  onUserDialog: here,
  pathToClaudeCodeExecutable: here,
  runtime: here,
  sessionStoreFlush: here,
  signal: here,
  spawnClaudeCodeProcess: here,
  startupTimeoutMs: here,
  stderr: here,
  throwOnErrorResult: here,
  verbatimPrompts: here,
};

/** Two elements, as a user would type them; one where the value itself looks like a flag. */
function extraArgument([name, given]: [string, string | null]): string[] {
  if (given === null) return [`--${name}`];
  return given.startsWith('-') ? [`--${name}=${given}`] : [`--${name}`, given];
}

function systemPromptFields(prompt: SystemPromptOption): InitializeRequest {
  if (typeof prompt === 'string') return { systemPrompt: [prompt] };
  if (Array.isArray(prompt)) return { systemPrompt: prompt };
  const snapshot = prompt.snapshot === undefined ? {} : { systemPromptSnapshot: prompt.snapshot };
  if (prompt.type === 'custom') {
    return { systemPrompt: typeof prompt.prompt === 'string' ? [prompt.prompt] : prompt.prompt, ...snapshot };
  }
  return {
    ...(prompt.append === undefined ? {} : { appendSystemPrompt: prompt.append }),
    ...(prompt.excludeDynamicSections === undefined
      ? {}
      : { excludeDynamicSections: prompt.excludeDynamicSections }),
    ...snapshot,
  };
}

/** Everything that the options put on the wire, before the servers and callbacks are added. */
export function placeOptions(options: Options): Required<Placement> {
  const all: Required<Placement> = { args: [], initialize: {}, env: {}, settings: {} };
  // Without a system prompt the SDK's contract is an empty one; the CLI's own is the preset.
  if (options.systemPrompt === undefined) all.initialize.systemPrompt = [''];
  for (const key of Object.keys(OPTION_TABLE) as (keyof Options)[]) {
    const given = options[key];
    if (given === undefined || given === null) continue;
    const placed = (OPTION_TABLE[key] as Row<keyof Options>)(given, options);
    all.args.push(...(placed.args ?? []));
    Object.assign(all.initialize, placed.initialize);
    Object.assign(all.env, placed.env);
    Object.assign(all.settings, placed.settings);
  }
  return all;
}

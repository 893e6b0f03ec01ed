import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { aboutAgents } from './agent-definitions.js';
import { aboutHooks, aboutPrompt, ignores, NO_PROCESS, refuses } from './embedded.js';
import type { Options } from './options.js';
import { putPlugins, putSettings, putSkills, putSystemPrompt, putThinking } from './places.js';
import {
  callback,
  callbacks,
  clientSide,
  either,
  filled,
  limitToPlan,
  list,
  nonNegative,
  oneOf,
  positive,
  type Row,
  record,
  recording,
  rulesToPlan,
  shape,
  text,
  toEnvironment,
  toInitialize,
  toPlan,
  toSetting,
  truth,
} from './row.js';

/**
 * Every option: how it is checked, where it goes, what the embedded runtime does with it. The compiler
 * rejects a table with a missing row. What older versions of the CLI need instead is in
 * client/launch/cli-versions.ts.
 */
export const OPTION_TABLE: { readonly [Name in keyof Options]-?: Row<NonNullable<Options[Name]>> } = {
  abortController: { kind: record, to: clientSide, embedded: 'acts' },
  additionalDirectories: { kind: list, to: toPlan('addDirectories'), embedded: 'acts' },
  agent: {
    kind: text,
    to: toPlan('agent'),
    embedded: 'acts',
  },
  agentProgressSummaries: {
    kind: truth,
    to: toInitialize('agentProgressSummaries'),
    embedded: ignores('it does not sum up what subagents are doing'),
  },
  agents: {
    kind: record,
    to: { ...toInitialize('agents'), readBack: ({ initialize, plan }) => initialize?.agents ?? plan?.agents },
    embedded: aboutAgents,
  },
  allowDangerouslySkipPermissions: { kind: truth, to: toPlan('allowBypass'), embedded: 'acts' },
  allowedTools: { kind: list, to: rulesToPlan('allowedTools', 'allow'), embedded: 'acts' },
  betas: { kind: list, to: toPlan('betas'), embedded: 'acts' },
  canUseTool: {
    kind: callback,
    to: {
      put: (_, { plan }) => {
        plan.permissionPromptTool = 'stdio';
      },
    },
    embedded: 'acts',
  },
  closeGraceMs: { kind: nonNegative, to: toSetting('closeGraceMs', undefined), embedded: 'acts' },
  continue: { kind: truth, to: toPlan('continue'), embedded: 'acts' },
  controlTimeoutMs: {
    kind: nonNegative,
    to: toSetting('controlTimeoutMs', LIMITS.controlTimeoutMs),
    embedded: 'acts',
  },
  cwd: { kind: text, to: clientSide, embedded: 'acts' },
  debug: { kind: truth, to: toPlan('debug'), embedded: ignores('it writes no debug log; see `onDebug`') },
  debugFile: {
    kind: text,
    to: toPlan('debugFile'),
    embedded: ignores('it writes no debug log; see `onDebug`'),
  },
  disallowedTools: { kind: list, to: rulesToPlan('disallowedTools', 'deny'), embedded: 'acts' },
  effort: { kind: text, to: toPlan('effort'), embedded: 'acts' },
  enableFileCheckpointing: {
    kind: truth,
    to: toEnvironment('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING', (on) => (on ? 'true' : undefined)),
    embedded: (on, { hasWorkspace }) =>
      !on || hasWorkspace
        ? 'acts'
        : refuses('it has no files that could be rewound; give embedded({ workspace })'),
  },
  env: { kind: record, to: clientSide, embedded: 'acts' },
  executable: { kind: text, to: clientSide, embedded: NO_PROCESS },
  executableArgs: { kind: list, to: clientSide, embedded: NO_PROCESS },
  extraArgs: { kind: record, to: toPlan('extraArgs'), embedded: 'acts' },
  fallbackModel: { kind: text, to: toPlan('fallbackModel'), embedded: 'acts' },
  forkSession: { kind: truth, to: toPlan('forkSession'), embedded: 'acts' },
  forwardSubagentText: { kind: truth, to: toInitialize('forwardSubagentText'), embedded: 'acts' },
  hermetic: {
    kind: truth,
    to: {
      put: (on, { plan }) => {
        if (on) Object.assign(plan, { strictMcpConfig: true, settingSources: [] });
      },
    },
    embedded: 'acts',
  },
  hooks: {
    kind: record,
    to: { ...clientSide, readBack: ({ initialize }) => initialize?.hooks },
    embedded: aboutHooks,
  },
  includeHookEvents: {
    kind: truth,
    to: toPlan('includeHookEvents'),
    embedded: ignores('it has no messages about the hooks that run'),
  },
  includePartialMessages: { kind: truth, to: toPlan('includePartialMessages'), embedded: 'acts' },
  isolation: { kind: oneOf('session'), to: clientSide, embedded: NO_PROCESS },
  loadTimeoutMs: { kind: positive, to: clientSide, embedded: 'acts' },
  managedSettings: { kind: record, to: toPlan('managedSettings'), embedded: 'acts' },
  maxBudgetUsd: { kind: nonNegative, to: limitToPlan('maxBudgetUsd'), embedded: 'acts' },
  maxLineBytes: { kind: positive, to: clientSide, embedded: NO_PROCESS },
  maxThinkingTokens: {
    kind: nonNegative,
    to: {
      put: (tokens, { plan }, { thinking }) => {
        // `thinking` is the newer form of the same option and takes precedence.
        if (thinking === undefined) plan.maxThinkingTokens = tokens;
      },
    },
    embedded: 'acts',
  },
  maxTurns: { kind: nonNegative, to: limitToPlan('maxTurns'), embedded: 'acts' },
  maxUnreadBytes: {
    kind: positive,
    to: toSetting('maxUnreadBytes', LIMITS.maxUnreadBytes),
    embedded: 'acts',
  },
  mcpReady: {
    kind: either(truth, shape('{ servers?, timeout? }', ['servers', 'timeout'])),
    to: clientSide,
    embedded: 'acts',
  },
  mcpServers: { kind: record, to: clientSide, embedded: 'acts' },
  model: { kind: text, to: toPlan('model'), embedded: 'acts' },
  onDebug: { kind: callback, to: clientSide, embedded: 'acts' },
  onElicitation: { kind: callback, to: clientSide, embedded: 'acts' },
  onFrame: { kind: callback, to: clientSide, embedded: 'acts' },
  onMcpStatus: { kind: callback, to: clientSide, embedded: 'acts' },
  onSampling: { kind: callback, to: clientSide, embedded: 'acts' },
  onUserDialog: { kind: callback, to: clientSide, embedded: ignores('it opens no dialogs') },
  outputFormat: {
    kind: shape(
      '{ type: "json_schema", schema: { … } }',
      ['type', 'schema'],
      (value) => isRecord(value) && value.type === 'json_schema' && isRecord(value.schema),
    ),
    to: {
      // In `initialize` only: a schema can be long, and the CLI exits if it has a `$schema` key.
      put: ({ schema: { $schema: _dialect, ...schema } }, { initialize }) => {
        initialize.jsonSchema = schema;
      },
    },
    embedded: 'acts',
  },
  pathToClaudeCodeExecutable: { kind: text, to: clientSide, embedded: NO_PROCESS },
  perTaskStopAffordance: {
    kind: truth,
    to: toInitialize('perTaskStopAffordance'),
    embedded: ignores('an interrupt always ends the subagents too; `stopTask()` ends a single one'),
  },
  permissionMode: { kind: text, to: toPlan('permissionMode'), embedded: 'acts' },
  permissionPromptToolName: {
    kind: text,
    to: {
      ...toPlan('permissionPromptTool'),
      readBack: ({ plan }) =>
        plan?.permissionPromptTool === 'stdio' ? undefined : plan?.permissionPromptTool,
    },
    embedded: refuses('it asks no tool for permission; give `canUseTool`'),
  },
  permissionPrompts: {
    kind: oneOf('host', 'none'),
    to: {
      put: (who, { plan }) => {
        if (who === 'none') plan.permissionPrompts = who;
      },
    },
    embedded: 'acts',
  },
  persistSession: { kind: truth, to: toPlan('persistSession'), embedded: 'acts' },
  planModeInstructions: {
    kind: text,
    to: toInitialize('planModeInstructions'),
    embedded: ignores('its plan mode has no instructions of its own'),
  },
  pluginDelivery: {
    kind: oneOf('argv', 'initialize'),
    to: {
      put: (delivery, { plan }, { plugins = [] }) => {
        if (delivery === 'initialize' && plugins.length > 0) plan.awaitInitialize = true;
      },
      readBack: ({ plan }) => plan?.awaitInitialize,
    },
    embedded: (delivery) =>
      delivery === 'argv' ? 'acts' : refuses('it reads plugins at its start; leave `pluginDelivery` out'),
  },
  plugins: {
    kind: list,
    to: {
      put: putPlugins,
      readBack: ({ initialize, plan }) => initialize?.plugins ?? plan?.pluginDirectories,
    },
    embedded: 'acts',
  },
  projectConfigRoot: {
    kind: text,
    to: toPlan('projectConfigRoot'),
    embedded: refuses(
      'it looks for the settings of a project in `cwd`, and would miss rules that stand elsewhere',
    ),
  },
  promptSuggestions: {
    kind: truth,
    to: toInitialize('promptSuggestions'),
    embedded: ignores('it suggests no prompts'),
  },
  record: { kind: either(filled, recording), to: clientSide, embedded: 'acts' },
  resume: { kind: text, to: toPlan('resume'), embedded: 'acts' },
  resumeDropsTurn: {
    kind: text,
    to: toPlan('resumeDropsTurn'),
    embedded: refuses('it cannot leave a turn out of a conversation; see `resumeSessionAt`'),
  },
  resumeSessionAt: { kind: text, to: toPlan('resumeSessionAt'), embedded: 'acts' },
  runtime: {
    kind: {
      expected: 'embedded({ model }), or { open(start) }',
      accepts: (value) => hasMethod(value, 'open'),
    },
    to: clientSide,
    embedded: 'acts',
  },
  sandbox: {
    kind: record,
    to: {
      put: (sandbox, { plan }) => {
        // A sandbox that was requested but is unavailable must be an error, not a run without one.
        plan.sandbox = { failIfUnavailable: true, ...sandbox };
      },
    },
    embedded: ({ enabled }) =>
      enabled === false ? 'acts' : refuses('it has no sandbox; tools run with the rights of this process'),
  },
  sessionId: { kind: text, to: toPlan('sessionId'), embedded: 'acts' },
  sessionStore: {
    kind: record,
    to: {
      put: (_, { plan }, { runtime }) => {
        // A runtime in this process gets the store itself.
        plan.sessionMirror = runtime === undefined;
      },
    },
    embedded: 'acts',
  },
  sessionStoreFlush: { kind: oneOf('batched', 'eager'), to: clientSide, embedded: 'acts' },
  settingSources: {
    kind: list,
    to: {
      put: (sources, { plan }, { hermetic }) => {
        if (!hermetic) plan.settingSources = sources;
      },
    },
    embedded: 'acts',
  },
  settings: { kind: either(text, record), to: { put: putSettings }, embedded: 'acts' },
  signal: { kind: record, to: clientSide, embedded: 'acts' },
  skills: {
    kind: either(list, oneOf('all')),
    to: { put: putSkills, readBack: ({ initialize }) => initialize?.skills },
    embedded: 'acts',
  },
  spawnClaudeCodeProcess: { kind: callback, to: clientSide, embedded: NO_PROCESS },
  startupTimeoutMs: {
    kind: nonNegative,
    to: toSetting('startupTimeoutMs', LIMITS.startupTimeoutMs),
    embedded: 'acts',
  },
  stderr: { kind: callback, to: toSetting('stderr', undefined), embedded: 'acts' },
  strictMcpConfig: {
    kind: truth,
    to: {
      put: (strict, { plan }) => {
        plan.strictMcpConfig ||= strict;
      },
    },
    embedded: 'acts',
  },
  strictOptions: { kind: truth, to: clientSide, embedded: 'acts' },
  supportedDialogKinds: {
    kind: list,
    to: {
      ...toInitialize('supportedDialogKinds'),
      put: (kinds, { initialize }, { onUserDialog }) => {
        if (onUserDialog !== undefined) initialize.supportedDialogKinds = kinds;
      },
    },
    embedded: ignores('it opens no dialogs'),
  },
  systemPrompt: {
    kind: either(
      text,
      list,
      shape('{ type: "custom" | "preset", … }', [
        'type',
        'prompt',
        'preset',
        'append',
        'excludeDynamicSections',
        'snapshot',
      ]),
    ),
    to: { put: putSystemPrompt },
    embedded: aboutPrompt,
  },
  taskBudget: {
    kind: shape('{ total }', ['total']),
    to: {
      put: ({ total }, { plan }) => {
        plan.taskBudget = total;
      },
      readBack: ({ plan }) => plan?.taskBudget,
    },
    embedded: refuses('it cannot keep to a budget of tokens; see `maxBudgetUsd` and `maxTurns`'),
  },
  thinking: {
    kind: shape('{ type: "adaptive" | "enabled" | "disabled", … }', ['type', 'budgetTokens', 'display']),
    to: { put: putThinking },
    embedded: 'acts',
  },
  throwOnErrorResult: { kind: truth, to: toSetting('throwOnErrorResult', true), embedded: 'acts' },
  title: { kind: text, to: toInitialize('title'), embedded: ignores('its conversations have no titles') },
  toolAliases: {
    kind: record,
    to: toInitialize('toolAliases'),
    embedded: ignores('it calls every tool by its own name'),
  },
  toolConfig: {
    kind: shape('{ askUserQuestion? }', ['askUserQuestion']),
    to: toEnvironment(
      'CLAUDE_CODE_QUESTION_PREVIEW_FORMAT',
      ({ askUserQuestion }) => askUserQuestion?.previewFormat ?? undefined,
    ),
    embedded: ignores('its AskUserQuestion shows no previews'),
  },
  toolMiddleware: { kind: callbacks, to: clientSide, embedded: 'acts' },
  tools: {
    kind: either(list, shape('{ type: "preset", preset: "claude_code" }', ['type', 'preset'])),
    to: {
      put: (tools, { plan }) => {
        plan.tools = Array.isArray(tools) ? tools : 'default';
      },
    },
    embedded: 'acts',
  },
  tracer: {
    kind: { expected: 'otel() of tenon/otel', accepts: (value) => hasMethod(value, 'begin') },
    to: clientSide,
    embedded: 'acts',
  },
  transport: { kind: callback, to: clientSide, embedded: 'acts' },
  verbatimPrompts: { kind: truth, to: toSetting('verbatimPrompts', false), embedded: 'acts' },
};

function hasMethod(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
}

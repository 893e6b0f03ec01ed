import { RULE_SOURCES } from '../../config/settings/layer.js';
import { clock } from '../../protocol/base/clock.js';
import type {
  EffortLevel,
  ModelInfo,
  SDKControlGetHooksListingResponse,
  SDKControlInitializeResponse,
  SDKControlPermissionRulesState,
} from '../../protocol/wire/control-payloads.js';
import type {
  ContextCategoryId,
  SDKControlGetContextUsageResponse,
} from '../../protocol/wire/control-usage.js';
import { RUNTIME_HOOKS } from '../../protocol/wire/hook-inputs.js';
import { tokensIn } from '../context/context-window.js';
import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from '../start/runtime-config.js';
import type { ControlHandlers } from './control-handlers.js';
import type { AgentConversation } from './conversation.js';

/**
 * Requests for information. For what the runtime does not have the answer is an empty list, never a guess.
 */
export function infoHandlers(conversation: AgentConversation): ControlHandlers {
  return {
    get_binary_version: () => ({ version: RUNTIME_VERSION, buildTime: '' }),
    list_models: () => ({ models: models(conversation) }),
    get_settings: () => ({
      effective: conversation.settings.effective,
      sources: conversation.settings.layers.map(({ source, settings }) => ({
        source: RULE_SOURCES[source],
        settings,
      })),
      applied: { model: conversation.model.name, effort: knownEffort(conversation.model.effort) },
    }),
    get_session_cost: () => ({ text: costText(conversation) }),
    get_usage: () => ({
      session: {
        total_cost_usd: conversation.usage.totalCostUsd(),
        total_api_duration_ms: Math.round(conversation.usage.apiMs),
        total_duration_ms: Math.round(clock.monotonic() - conversation.startedAt),
        total_lines_added: 0,
        total_lines_removed: 0,
        model_usage: conversation.usage.modelUsage(),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    }),
    get_context_usage: () => contextUsage(conversation),
    list_permission_rules: () => ({ state: permissionRules(conversation) }),
    get_hooks_listing: () => hooksListing(conversation),
    reload_skills: async () => {
      await conversation.knowledge.reload();
      return { skills: conversation.knowledge.modelCommands };
    },
    reload_output_styles: async () => {
      await conversation.knowledge.reload();
      return { available_output_styles: conversation.knowledge.styleNames };
    },
    reload_plugins: async () => {
      await conversation.knowledge.reload();
      const { slashCommands, plugins, pluginErrors } = conversation.knowledge;
      return {
        commands: slashCommands,
        agents: conversation.subagents.infos,
        plugins: plugins.map(({ name, path }) => ({ name, path })),
        mcpServers: conversation.tools.hub.status(),
        error_count: pluginErrors.length,
      };
    },
  };
}

const EFFORTS: readonly EffortLevel[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** A model may have its own effort levels, which the protocol has no names for. */
function knownEffort(effort: string | undefined): EffortLevel | null {
  return EFFORTS.find((level) => level === effort) ?? null;
}

/** What a host wants to know before it starts. */
export function description(conversation: AgentConversation): SDKControlInitializeResponse {
  return {
    commands: conversation.knowledge.slashCommands,
    agents: conversation.subagents.infos,
    output_style: conversation.knowledge.styleName,
    available_output_styles: conversation.knowledge.styleNames,
    models: models(conversation),
    account: {},
    ...(conversation.pid === undefined ? {} : { pid: conversation.pid }),
    claude_code_version: RUNTIME_VERSION,
    current_permission_mode: conversation.permissions.mode,
    session_state: conversation.state,
    // Hosts that use `onFailure: 'block'` refuse to continue unless it is supported.
    hook_on_failure_supported: true,
    capabilities: [...RUNTIME_CAPABILITIES],
  };
}

/** The current model and its fallbacks. */
function models({ model }: AgentConversation): ModelInfo[] {
  return [model.name, ...model.fallbacks].map((name) => ({
    value: name,
    displayName: name,
    description: '',
  }));
}

function costText({ usage }: AgentConversation): string {
  const unknown = usage.models.filter((model) => !usage.isPriced(model));
  const total = `Total cost: $${usage.totalCostUsd().toFixed(4)}`;
  return unknown.length === 0 ? total : `${total} (without ${unknown.join(', ')}: price unknown)`;
}

/** As counted by the model's API, and a guess for what is new since its last answer. */
function contextUsage(conversation: AgentConversation): SDKControlGetContextUsageResponse {
  const { usage, model, window } = conversation;
  const { lastRequest } = usage;
  const messages = conversation.messages;
  window.answered(messages, lastRequest);
  const total = messages.length === 0 ? 0 : window.used(messages);
  const size = window.sizeFor(model.current);
  const { system, tools } = window.fixed;
  const used = (id: ContextCategoryId, name: string, tokens: number, kind: 'used' | 'free' = 'used') => ({
    id,
    name,
    tokens: Math.max(0, Math.round(tokens)),
    color: '',
    kind,
  });
  return {
    categories: [
      used('system_prompt', 'System prompt', Math.min(system, total)),
      used('mcp_tools', 'Tools', Math.min(tools, Math.max(0, total - system))),
      used('messages', 'Messages', total - system - tools),
      used('free_space', 'Free space', size - total, 'free'),
    ],
    totalTokens: total,
    maxTokens: size,
    rawMaxTokens: size,
    percentage: Math.round((total / size) * 100),
    gridRows: [],
    model: model.name,
    memoryFiles: conversation.knowledge.memoryFiles.map(({ path, source, text }) => ({
      path,
      type: source,
      tokens: Math.round(tokensIn(text)),
    })),
    mcpTools: [],
    agents: [],
    ...(window.isAutomatic
      ? { autoCompactThreshold: window.limitsFor(model.current, model.parameters().max_tokens).limit }
      : {}),
    isAutoCompactEnabled: window.isAutomatic,
    apiUsage: lastRequest ?? null,
  };
}

/** Rules from these sources are fixed; a host may change the others for the rest of the conversation. */
const FIXED_SOURCES: ReadonlySet<string> = new Set(['cliArg', 'flagSettings', 'policySettings']);

function permissionRules({ permissions, settings, cwd }: AgentConversation): SDKControlPermissionRulesState {
  return {
    rules: permissions.book.rules.map(({ kind, rule, source }) => ({
      behavior: kind,
      source,
      rule: rule.text,
      editability: FIXED_SOURCES.has(source) ? 'readonly' : 'session',
      ...(rule.problem === undefined ? {} : { notInEffect: true }),
    })),
    workspaceDirectories: [...permissions.book.directories],
    originalCwd: cwd,
    managedOnly: settings.permissions.managedRulesOnly,
  };
}

function hooksListing({ hooks, settings }: AgentConversation): SDKControlGetHooksListingResponse {
  const callbacks = Object.entries(hooks).flatMap(([event, matchers]) =>
    matchers.map(({ matcher = '', timeout, hookCallbackIds }) => ({
      event,
      matcher,
      source: 'sdk',
      sourceLabel: 'The host',
      type: 'callback',
      displayText: hookCallbackIds.join(', '),
      commandText: '',
      contentLabel: 'Callback',
      ...(timeout === undefined ? {} : { timeout }),
    })),
  );
  const commands = settings.hooks.map(({ event, matcher = '', timeout, command, place }) => ({
    event,
    matcher,
    source: 'settings',
    sourceLabel: place,
    type: 'command',
    displayText: command,
    commandText: command,
    contentLabel: 'Command',
    ...(timeout === undefined ? {} : { timeout }),
  }));
  const listed = [...callbacks, ...commands];
  const isPolicy = ({ source }: { source: string }): boolean => source === 'managed';
  const catalog = RUNTIME_HOOKS.map((name) => ({ name, summary: '', supportsMatcher: name !== 'Stop' }));
  return {
    events: catalog.map((each) => ({
      ...each,
      hookCount: listed.filter(({ event }) => event === each.name).length,
    })),
    hooks: listed,
    eventCatalog: catalog,
    policy: {
      disabledByPolicy: settings.layers.some(
        (layer) => isPolicy(layer) && layer.settings.disableAllHooks === true,
      ),
      managedOnly: settings.layers.some(
        (layer) => isPolicy(layer) && layer.settings.allowManagedHooksOnly === true,
      ),
      pluginOnly: false,
      allDisabled: settings.effective.disableAllHooks === true,
      policyHookCount: 0,
    },
  };
}

import type { ControlHandlers } from './control-handlers.js';
import { RUNTIME_HOOKS } from './hook-runner.js';
import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from './runtime-config.js';
import type { RuntimeSession } from './session.js';

/** Requests that only want to know something. What the runtime does not have is an empty list, never a guess. */
export function infoHandlers(session: RuntimeSession): ControlHandlers {
  return {
    get_binary_version: () => ({ version: RUNTIME_VERSION, buildTime: '' }),
    list_models: () => ({ models: models(session) }),
    get_settings: () => ({
      effective: {},
      sources: [],
      applied: { model: session.model.name, effort: session.model.effort ?? null },
    }),
    get_session_cost: () => ({ text: costText(session) }),
    get_usage: () => ({
      session: {
        total_cost_usd: session.usage.totalCostUsd(),
        total_api_duration_ms: Math.round(session.workedMs),
        total_duration_ms: Math.round(performance.now() - session.startedAt),
        total_lines_added: 0,
        total_lines_removed: 0,
        model_usage: session.usage.modelUsage(),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    }),
    get_context_usage: () => contextUsage(session),
    list_permission_rules: () => ({ state: permissionRules(session) }),
    get_hooks_listing: () => hooksListing(session),
    reload_skills: () => ({ skills: [] }),
    reload_output_styles: () => ({ available_output_styles: ['default'] }),
    reload_plugins: () => ({
      commands: [],
      agents: [],
      plugins: [],
      mcpServers: session.tools.hub.status(),
      error_count: 0,
    }),
  };
}

/** What a host wants to know before it begins. */
export function description(session: RuntimeSession): object {
  return {
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: models(session),
    account: {},
    pid: process.pid,
    claude_code_version: RUNTIME_VERSION,
    current_permission_mode: session.permissions.mode,
    session_state: session.state,
    // Hosts refuse to go on with `onFailure: 'block'` where it is not kept.
    hook_on_failure_supported: true,
    capabilities: RUNTIME_CAPABILITIES,
  };
}

/** The one that is talked with, and those that stand ready for it. */
function models({ model }: RuntimeSession): object[] {
  return [model.name, ...model.fallbacks].map((name) => ({
    value: name,
    displayName: name,
    description: '',
  }));
}

function costText({ usage }: RuntimeSession): string {
  const unknown = usage.models.filter((model) => !usage.isPriced(model));
  const total = `Total cost: $${usage.totalCostUsd().toFixed(4)}`;
  return unknown.length === 0 ? total : `${total} (without ${unknown.join(', ')}: no price is known)`;
}

/** As the model's API has counted it; how much it could hold is not known here, so `maxTokens` is 0. */
function contextUsage({ usage, model }: RuntimeSession): object {
  const counts = usage.lastRequest;
  const tokens = counts === undefined ? 0 : Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    categories: [{ id: 'messages', name: 'Last request', tokens, color: '', kind: 'used' }],
    totalTokens: tokens,
    maxTokens: 0,
    rawMaxTokens: 0,
    percentage: 0,
    gridRows: [],
    model: model.name,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: false,
    apiUsage: counts ?? null,
  };
}

function permissionRules({ permissions, cwd }: RuntimeSession): object {
  return {
    rules: permissions.book.rules.map(({ kind, rule, source }) => ({
      behavior: kind,
      source,
      rule: rule.text,
      editability: source === 'cliArg' ? 'readonly' : 'session',
      ...(rule.problem === undefined ? {} : { notInEffect: true }),
    })),
    workspaceDirectories: permissions.book.directories,
    originalCwd: cwd,
    managedOnly: false,
  };
}

/** Hooks of the runtime are the host's callbacks, all of them. */
function hooksListing({ hooks }: RuntimeSession): object {
  const listed = Object.entries(hooks).flatMap(([event, matchers]) =>
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
  const catalog = RUNTIME_HOOKS.map((name) => ({ name, summary: '', supportsMatcher: name !== 'Stop' }));
  return {
    events: catalog.map((each) => ({
      ...each,
      hookCount: listed.filter(({ event }) => event === each.name).length,
    })),
    hooks: listed,
    eventCatalog: catalog,
    policy: {
      disabledByPolicy: false,
      managedOnly: false,
      pluginOnly: false,
      allDisabled: false,
      policyHookCount: 0,
    },
  };
}

import { parseRule, type RuleKind, ruleProblem } from '../../protocol/permissions/permission-rules.js';
import { hooksProblem } from './hook-settings.js';
import type { Refusal } from './layer.js';

/** What a key of the settings does in the embedded runtime. */
export interface SettingKey {
  readonly effect: 'acts' | 'refused' | 'ignored';
  /** For the table in docs/guide/settings.md. */
  readonly note: string;
  /** Why a conversation does not start with this value, or undefined. Its kind has already been checked. */
  readonly refuses?: (value: unknown) => Refusal | undefined;
}

const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];

const acts = (note: string, refuses?: SettingKey['refuses']): SettingKey => ({
  effect: 'acts',
  note,
  ...(refuses === undefined ? {} : { refuses }),
});
const ignored = (note: string): SettingKey => ({ effect: 'ignored', note });

/** Every key that has an effect in the runtime, or might be expected to. Any other key is ignored. */
export const SETTING_KEYS: Readonly<Record<string, SettingKey>> = {
  'permissions.deny': acts('Rules from all sources add up. An invalid rule is refused.', invalidRule('deny')),
  'permissions.ask': acts('Rules from all sources add up. An invalid rule is refused.', invalidRule('ask')),
  'permissions.allow': acts('Rules from all sources add up. An invalid rule allows nothing.'),
  'permissions.defaultMode': acts(
    'Where the option `permissionMode` is not given. Files in the working directory cannot set a mode that takes questions away.',
    (mode) =>
      MODES.includes(String(mode)) ? undefined : `must be one of ${MODES.join(', ')}; it is "${mode}"`,
  ),
  'permissions.additionalDirectories': acts('Added to the option `additionalDirectories`.'),
  'permissions.disableBypassPermissionsMode': acts(
    '`"disable"`: no conversation runs in the mode `bypassPermissions`.',
  ),
  'permissions.disableAutoMode': ignored('The runtime has no mode `auto`.'),
  allowManagedPermissionRulesOnly: acts('In a policy: rules that allow count only there.'),
  env: acts('For the programs that the runtime starts, and for variables in files for MCP servers.'),
  hooks: acts(
    'Hooks of the type `command`. Another type, an invalid matcher, or an event that could say no and is never called is refused.',
    hooksProblem,
  ),
  disableAllHooks: acts(
    'Turns off hooks of settings; those of a policy only in a policy. Callbacks of the host stay.',
  ),
  allowManagedHooksOnly: acts(
    'In a policy: hooks of other settings are not called. Callbacks of the host stay.',
  ),
  model: acts('Where the option `model` is not given.'),
  autoCompactEnabled: acts('`false`: the runtime makes no room by itself; `/compact` works nevertheless.'),
  availableModels: acts('A conversation with another model does not start.'),
  deniedModels: acts('A conversation with such a model does not start.'),
  allowedMcpServers: acts('Other servers are not started. Servers in your own process always are.'),
  deniedMcpServers: acts('Such servers are not started. Servers in your own process always are.'),
  allowManagedMcpServersOnly: acts('In a policy: `allowedMcpServers` counts only there.'),
  disabledMcpjsonServers: acts('Servers of `.mcp.json` that are not started.'),
  enabledMcpjsonServers: ignored(
    'All servers of `.mcp.json` are used unless they are disabled, as by the CLI without a terminal.',
  ),
  enableAllProjectMcpServers: ignored('All servers of `.mcp.json` are used unless they are disabled.'),
  sandbox: {
    effect: 'refused',
    note: 'Where `enabled` is true: the runtime has no sandbox.',
    refuses: (value) =>
      (value as { enabled?: boolean }).enabled === true
        ? { lacks: 'is enabled, and the runtime has no sandbox' }
        : undefined,
  },
  apiKeyHelper: ignored('The model that you give to `embedded()` has its own key.'),
  effortLevel: ignored('Give the option `effort`.'),
  outputStyle: acts('A style of `.claude/output-styles`, where there is a workspace.'),
  agent: acts('The agent that leads the conversation, unless the option `agent` names another.'),
  cleanupPeriodDays: ignored('The session store decides what it keeps.'),
};

function invalidRule(kind: RuleKind): (value: unknown) => string | undefined {
  return (value) => {
    for (const text of value as string[]) {
      const problem = ruleProblem(parseRule(text), kind);
      if (problem !== undefined) return `has the rule "${text}", which cannot be enforced: ${problem}`;
    }
    return undefined;
  };
}

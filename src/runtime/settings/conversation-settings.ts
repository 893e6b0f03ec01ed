import { checkEnforceable } from '../../config/settings/enforceable.js';
import { type CommandHook, commandHooks } from '../../config/settings/hook-settings.js';
import { mergeLayers, type ReadLayers, type SettingsLayer } from '../../config/settings/layer.js';
import { type ModelPolicy, modelPolicy } from '../../config/settings/model-policy.js';
import { type PermissionSettings, permissionSettings } from '../../config/settings/permission-settings.js';
import { type ServerPolicy, serverPolicy } from '../../config/settings/server-policy.js';
import type { Settings } from '../../protocol/wire/settings.js';
import type { Model } from '../model.js';
import type { Platform } from '../platform/platform.js';
import type { RuntimeStart } from '../start/runtime-config.js';

/** The effect of the settings on one conversation. */
export interface ConversationSettings {
  readonly layers: readonly SettingsLayer[];
  readonly effective: Settings;
  readonly permissions: PermissionSettings;
  readonly hooks: readonly CommandHook[];
  readonly modelProblem: ModelPolicy;
  readonly serverProblem: ServerPolicy;
  /** Names of disabled servers in `.mcp.json`. */
  readonly disabledMcpjsonServers: readonly string[];
}

/** No settings at all, as most conversations have: one value for all of them. */
const NO_SETTINGS = settingsOf({ layers: [], hasUntrustedRules: false }, []);
// Hosts in the same process are given it by `get_settings`.
Object.freeze(NO_SETTINGS.effective);

/** Throws if a restriction could not be enforced. */
export function readSettings(platform: Platform, start: RuntimeStart): ConversationSettings {
  const { settingSources, settings, managedSettings } = start.flags;
  const { cwd, env } = start;
  const read = platform.readSettings({ cwd, env, settingSources, settings, managedSettings });
  const { layers, problems } = read;
  if (layers.length === 0 && problems.length === 0) return NO_SETTINGS;
  const hooks = commandHooks(layers);
  const unrunnable =
    platform.runCommand === undefined
      ? hooks.map(({ source, place }) => ({
          source,
          place,
          message: '`hooks` cannot be run: there are no processes here',
          isUnsupported: true,
        }))
      : [];
  checkEnforceable(layers, [...problems, ...unrunnable]);
  return settingsOf(read, hooks);
}

function settingsOf(
  read: Pick<ReadLayers, 'layers' | 'hasUntrustedRules'>,
  hooks: readonly CommandHook[],
): ConversationSettings {
  const { layers } = read;
  const effective = mergeLayers(layers);
  return {
    layers,
    effective,
    permissions: permissionSettings(read),
    hooks,
    modelProblem: modelPolicy(layers),
    serverProblem: serverPolicy(layers),
    disabledMcpjsonServers: effective.disabledMcpjsonServers ?? [],
  };
}

/**
 * The start, with the settings applied. The host's own values take precedence, except for variables, as in
 * the CLI.
 */
export function startWith(
  start: RuntimeStart,
  { effective, permissions }: ConversationSettings,
  model: Pick<Model, 'name' | 'accepts'>,
  warn: (text: string) => void,
): RuntimeStart {
  if (effective === NO_SETTINGS.effective) return start;
  const { flags, env } = start;
  const directories = permissions.directories.flatMap(({ paths }) => paths);
  const variables = Object.entries(effective.env ?? {});
  return {
    ...start,
    flags: {
      ...flags,
      model: flags.model ?? modelIn(effective, model, warn),
      addDirectories: [...new Set([...flags.addDirectories, ...directories])],
    },
    ...(variables.length === 0
      ? {}
      : {
          env: {
            ...(env ?? globalThis.process?.env),
            ...Object.fromEntries(variables.map(([name, value]) => [name, String(value)])),
          },
        }),
  };
}

/** Settings are often those of another agent on the same machine, with a model of another vendor. */
function modelIn(
  { model: wanted }: ConversationSettings['effective'],
  { name, accepts }: Pick<Model, 'name' | 'accepts'>,
  warn: (text: string) => void,
): string | undefined {
  if (wanted === undefined || accepts === undefined || accepts(wanted)) return wanted;
  warn(`The settings name the model "${wanted}", which this runtime does not have; ${name} answers instead.`);
  return undefined;
}

import { isRecord } from '../../protocol/base/kinds.js';
import type { SettingSource, Settings } from '../../protocol/wire/settings.js';
import type { Environment } from '../variables.js';
import type { PolicySettingsOrigin, ResolvedSettingSource } from './resolved-settings.js';

/** The settings of one source. */
export interface SettingsLayer {
  source: ResolvedSettingSource;
  settings: Settings;
  /** Absent for settings that were given as an object. */
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
}

/** A source that cannot be used. */
export interface SettingsProblem {
  source: ResolvedSettingSource;
  /** The file, or the option. */
  place: string;
  message: string;
  /** The settings are right, but ask for something that the runtime does not have. */
  isUnsupported?: boolean;
}

/** Why a value of the settings cannot be used: a mistake, or something that the runtime lacks. */
export type Refusal = string | { readonly lacks: string };

export interface ReadLayersOptions {
  cwd?: string | undefined;
  /** Its CLAUDE_CONFIG_DIR and HOME determine where the user's file is. Default: that of this process. */
  env?: Environment | undefined;
  /** Default: all. The policy is always read. */
  settingSources?: readonly SettingSource[] | undefined;
  /** Settings for this conversation: an object, or the path of a file. */
  settings?: Settings | string | undefined;
  /** The program's own policy. */
  managedSettings?: Settings | undefined;
  /** Replaces the server's policy that the CLI has cached. */
  serverManagedSettings?: Settings | undefined;
}

export interface ReadLayers {
  /** From weakest to strongest. */
  layers: SettingsLayer[];
  problems: SettingsProblem[];
  /** The project has allow rules but has not been trusted. */
  hasUntrustedRules: boolean;
  /** Sources of this machine's policy that may exist but were not read. */
  didNotLoad: ('profile' | 'registry' | 'file')[];
}

/** How permission rules name their source, on the wire and in explanations. */
export const RULE_SOURCES = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  flag: 'flagSettings',
  managed: 'policySettings',
} as const satisfies Record<ResolvedSettingSource, string>;

export type SettingsRuleSource = (typeof RULE_SOURCES)[ResolvedSettingSource];

/** For a message: the file, or the option that the settings were given with. */
export function placeOf({ path, source }: Pick<SettingsLayer, 'path' | 'source'>): string {
  return path ?? (source === 'managed' ? 'options.managedSettings' : 'options.settings');
}

/** Merges layers from weakest to strongest. Lists are concatenated, objects merged, other values replaced. */
export function mergeLayers(layers: readonly SettingsLayer[]): Settings {
  return layers.reduce<Settings>((merged, { settings }) => merge(merged, settings) as Settings, {});
}

function merge(weaker: unknown, stronger: unknown): unknown {
  if (Array.isArray(weaker) && Array.isArray(stronger)) {
    const seen = new Set<string>();
    return [...weaker, ...stronger].filter((item) => {
      const text = JSON.stringify(item);
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
  }
  if (!isRecord(weaker) || !isRecord(stronger)) return stronger;
  const merged: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    merged[key] = key in merged ? merge(merged[key], value) : value;
  }
  return merged;
}

/** Modes that skip permission prompts, and the sources that may not set them. */
const ESCALATING: Readonly<Record<string, readonly string[]>> = {
  acceptEdits: ['project'],
  auto: ['project', 'local'],
  bypassPermissions: ['project', 'local'],
};

/**
 * Whether this source may not set this mode: the author of a repository must not disable permission
 * prompts.
 */
export function isEscalating(defaultMode: unknown, source: string | undefined): boolean {
  return ESCALATING[String(defaultMode)]?.includes(source ?? '') ?? false;
}

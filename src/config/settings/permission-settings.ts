import type { RuleKind } from '../../protocol/permissions/permission-rules.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import {
  isEscalating,
  placeOf,
  type ReadLayers,
  RULE_SOURCES,
  type SettingsLayer,
  type SettingsRuleSource,
} from './layer.js';

/** The permissions in the settings of all sources. */
export interface PermissionSettings {
  readonly rules: readonly { kind: RuleKind; texts: readonly string[]; source: SettingsRuleSource }[];
  readonly directories: readonly { paths: readonly string[]; source: SettingsRuleSource }[];
  /** The strongest value that its source may set. */
  readonly defaultMode: PermissionMode | undefined;
  /** Where `bypassPermissions` is forbidden. */
  readonly bypassDisabledBy: string | undefined;
  /** Only allow rules of the policy count. */
  readonly managedRulesOnly: boolean;
  readonly warnings: readonly string[];
}

const KINDS: readonly RuleKind[] = ['deny', 'ask', 'allow'];

export function permissionSettings({
  layers,
  hasUntrustedRules,
}: Pick<ReadLayers, 'layers' | 'hasUntrustedRules'>): PermissionSettings {
  const warnings: string[] = [];
  const isManagedOnly = layers.some(
    ({ source, settings }) => source === 'managed' && settings.allowManagedPermissionRulesOnly === true,
  );
  const rules = layers.flatMap(({ source, settings }) =>
    KINDS.flatMap((kind) => {
      const texts = settings.permissions?.[kind] ?? [];
      const isUntrusted = kind === 'allow' && source === 'project' && hasUntrustedRules;
      return texts.length === 0 || isUntrusted ? [] : [{ kind, texts, source: RULE_SOURCES[source] }];
    }),
  );
  if (hasUntrustedRules) {
    const project = layers.find(({ source }) => source === 'project') ?? { source: 'project' as const };
    warnings.push(
      `${placeOf(project)}: \`permissions.allow\` is ignored: the project is not trusted. Trust it in Claude Code, or allow the tools yourself.`,
    );
  }
  const directories = layers.flatMap(({ source, settings }) => {
    const paths = settings.permissions?.additionalDirectories ?? [];
    return paths.length === 0 ? [] : [{ paths, source: RULE_SOURCES[source] }];
  });
  const disabling = layers.find(
    ({ settings }) => settings.permissions?.disableBypassPermissionsMode === 'disable',
  );
  return {
    rules,
    directories,
    defaultMode: defaultModeOf(layers, warnings),
    bypassDisabledBy: disabling === undefined ? undefined : placeOf(disabling),
    managedRulesOnly: isManagedOnly,
    warnings,
  };
}

function defaultModeOf(layers: readonly SettingsLayer[], warnings: string[]): PermissionMode | undefined {
  for (const layer of layers.toReversed()) {
    const mode = layer.settings.permissions?.defaultMode;
    if (mode === undefined) continue;
    if (!isEscalating(mode, layer.source)) return mode as PermissionMode;
    warnings.push(
      `${placeOf(layer)}: \`permissions.defaultMode\` "${mode}" is ignored: a file in the working directory cannot disable permission prompts.`,
    );
  }
  return undefined;
}

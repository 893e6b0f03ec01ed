// Which settings a query would run with, without starting one.

import type { Settings } from '../../protocol/wire/settings.js';
import { matchDeniedModels as match } from './denied-models.js';
import { isEscalating } from './layer.js';
import { resolveSettings as resolve } from './resolve-settings.js';
import type { DeniedModelsMatch, ResolvedSettings, ResolveSettingsOptions } from './resolved-settings.js';

/**
 * Reads and merges the settings of all sources as the CLI does. It reports what is set, not what is
 * allowed.
 */
export async function resolveSettings(options?: ResolveSettingsOptions): Promise<ResolvedSettings> {
  return resolve(options);
}

/** The effective settings, without an escalating `defaultMode` set by a file in the working directory. */
export function filterEscalatingDefaultMode({ effective, sources }: ResolvedSettings): Settings {
  const { defaultMode, ...permissions } = effective.permissions ?? {};
  const setBy = sources.findLast(({ settings }) => settings.permissions?.defaultMode !== undefined);
  return isEscalating(defaultMode, setBy?.source) ? { ...effective, permissions } : effective;
}

/**
 * Which of the models are named by a list of denied ones. It only compares names: others may be denied too.
 */
export async function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  return match(models, deniedModels);
}

// Which settings a query would run with, without starting one.

import type { Settings } from '../../protocol/settings.js';
import type { DeniedModelsMatch, ResolvedSettings, ResolveSettingsOptions } from './resolved-settings.js';

/** Reads and merges the settings of all sources as the CLI does. It tells what is set, not what is allowed. */
export async function resolveSettings(options?: ResolveSettingsOptions): Promise<ResolvedSettings> {
  return (await import('./resolve-settings.js')).resolveSettings(options);
}

/** Modes that take questions away, and the files of a working directory that may not set them. */
const ESCALATING: Readonly<Record<string, readonly string[]>> = {
  acceptEdits: ['project'],
  auto: ['project', 'local'],
  bypassPermissions: ['project', 'local'],
};

/** The effective settings without a `defaultMode` that would escalate and that a file in the working directory has set. */
export function filterEscalatingDefaultMode({ effective, sources }: ResolvedSettings): Settings {
  const { defaultMode, ...permissions } = effective.permissions ?? {};
  const untrusted = ESCALATING[String(defaultMode)];
  if (untrusted === undefined) return effective;
  const setBy = sources.findLast(({ settings }) => settings.permissions?.defaultMode !== undefined);
  return untrusted.includes(setBy?.source ?? '') ? { ...effective, permissions } : effective;
}

/** Which of the models a list of denied ones names. It compares names only: what is not named may be denied all the same. */
export async function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  return (await import('./denied-models.js')).matchDeniedModels(models, deniedModels);
}

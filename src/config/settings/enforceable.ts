import { TenonError } from '../../protocol/base/errors.js';
import { SETTING_KEYS } from './keys.js';
import { placeOf, type SettingsLayer, type SettingsProblem } from './layer.js';
import { valueAt } from './shape.js';

/** Everything that prevents these settings from being enforced as written. */
export function settingsProblems(layers: readonly SettingsLayer[]): SettingsProblem[] {
  return layers.flatMap((layer) =>
    Object.entries(SETTING_KEYS).flatMap(([key, { refuses }]) => {
      const value = refuses === undefined ? undefined : valueAt(layer.settings, key);
      const refusal = value === undefined ? undefined : refuses?.(value);
      if (refusal === undefined) return [];
      const isUnsupported = typeof refusal !== 'string';
      const reason = isUnsupported ? refusal.lacks : refusal;
      const message = reason.startsWith('`') ? reason : `\`${key}\` ${reason}`;
      return [{ source: layer.source, place: placeOf(layer), message, isUnsupported }];
    }),
  );
}

/** Throws if a restriction would be lost, so that the conversation does not start. */
export function checkEnforceable(
  layers: readonly SettingsLayer[],
  unreadable: readonly SettingsProblem[],
): void {
  const problems = [...unreadable, ...settingsProblems(layers)];
  if (problems.length === 0) return;
  const lines = problems.map(({ place, message, source }) => `  ${place}: ${message}. ${remedyFor(source)}`);
  throw new TenonError(
    problems.every(({ isUnsupported }) => isUnsupported) ? 'NOT_SUPPORTED' : 'INVALID_SETTINGS',
    `The settings cannot be enforced, so the conversation does not start:\n${lines.join('\n')}`,
  );
}

function remedyFor(source: SettingsLayer['source']): string {
  if (source === 'flag') return 'Correct the option `settings`.';
  if (source === 'managed') return 'Whoever administers the policy has to correct it.';
  return `Correct the file, or leave "${source}" out of \`settingSources\`.`;
}

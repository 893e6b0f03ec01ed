import { matchDeniedModels } from './denied-models.js';
import type { SettingsLayer } from './layer.js';

/** Why a model may not be used, or undefined. */
export type ModelPolicy = (name: string) => string | undefined;

/** `deniedModels` and `availableModels` of all sources. */
export function modelPolicy(layers: readonly SettingsLayer[]): ModelPolicy {
  const named = (key: string): string[] =>
    layers.flatMap(({ settings }) => (settings[key] as string[] | undefined) ?? []);
  const denied = named('deniedModels');
  const available = named('availableModels');
  const isLimited = layers.some(({ settings }) => settings.availableModels !== undefined);
  return (name) => {
    if (matchDeniedModels([name], denied).denied[0]) {
      return `The model "${name}" is forbidden by \`deniedModels\` of the settings. Choose another with \`model\`.`;
    }
    if (!isLimited || matchDeniedModels([name], available).denied[0]) return undefined;
    return `The model "${name}" is not among \`availableModels\` of the settings: ${available.join(', ')}. Choose one of them with \`model\`.`;
  };
}

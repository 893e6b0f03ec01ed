import { unreadableSettings } from '../../options/places.js';
import type { AgentPlan } from '../../options/plan.js';
import { hostModule } from '../../protocol/base/host-process.js';
import type { Settings, SettingsPermissions } from '../../protocol/wire/settings.js';

/** The settings for a process: the user's own (a path or an object), merged with what other options add. */
export function mergedSettings(
  { settings: own, sandbox }: AgentPlan,
  cwd: string | undefined,
  rules?: SettingsPermissions,
): AgentPlan['settings'] {
  const added: Settings = {
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(rules === undefined ? {} : { permissions: rules }),
  };
  const hasAdditions = Object.keys(added).length > 0;
  // The agent reads the file itself, unless something has to be added to it.
  if (typeof own === 'string') return hasAdditions ? withAdded(readSettings(own, cwd), added) : own;
  const merged = withAdded(own ?? {}, added);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

/**
 * Other options take precedence over the user's settings, but rules add up: losing a `deny` would allow
 * something.
 */
function withAdded(own: Settings, added: Settings): Settings {
  const merged = { ...own, ...added };
  if (!own.permissions || !added.permissions) return merged;
  const permissions: SettingsPermissions = { ...own.permissions };
  for (const kind of ['allow', 'deny'] as const) {
    const more = added.permissions[kind];
    if (more !== undefined) permissions[kind] = [...(permissions[kind] ?? []), ...more];
  }
  return { ...merged, permissions };
}

function readSettings(path: string, cwd: string | undefined): Settings {
  try {
    const files = hostModule('node:fs');
    const paths = hostModule('node:path');
    if (files === undefined || paths === undefined) throw new Error('there are no files here.');
    return JSON.parse(files.readFileSync(paths.resolve(cwd ?? '.', path), 'utf8'));
  } catch (error) {
    throw unreadableSettings(path, error);
  }
}

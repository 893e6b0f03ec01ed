import { messageOf, OptionError } from '../protocol/base/errors.js';
import type { Settings, SettingsPermissions } from '../protocol/wire/settings.js';
import type { AgentPlan } from './plan.js';

const LISTS = ['allow', 'deny', 'ask', 'additionalDirectories'] as const;

/** The second takes precedence over the first, but rules and hooks add up: losing a `deny` would allow something. */
export function joinSettings(first: Settings, second: Settings): Settings {
  const joined = { ...first, ...second };
  if (first.permissions && second.permissions) {
    joined.permissions = joinPermissions(first.permissions, second.permissions);
  }
  if (first.hooks && second.hooks) {
    const events = new Set([...Object.keys(first.hooks), ...Object.keys(second.hooks)]);
    const hooksOf = (event: string): unknown => listOf(first.hooks?.[event], second.hooks?.[event]);
    joined.hooks = Object.fromEntries([...events].map((event) => [event, hooksOf(event)]));
  }
  return joined;
}

function joinPermissions(first: SettingsPermissions, second: SettingsPermissions): SettingsPermissions {
  const permissions: SettingsPermissions = { ...first, ...second };
  for (const kind of LISTS) {
    if (first[kind] && second[kind]) permissions[kind] = [...first[kind], ...second[kind]];
  }
  return permissions;
}

function listOf(first: unknown, second: unknown): unknown {
  return Array.isArray(first) && Array.isArray(second) ? [...first, ...second] : (second ?? first);
}

/** An agent reads one `--settings`: of two, one would be lost, and its rules with it. */
export function withExtraSettings(plan: AgentPlan): AgentPlan {
  const { settings, extraArgs } = plan;
  const { settings: extra, ...others } = extraArgs ?? {};
  if (settings === undefined || extra == null) return plan;
  if (typeof settings === 'string' || !extra.trimStart().startsWith('{')) {
    const reason =
      'they cannot be joined when one is the path of a file. Give one of them, or both as objects';
    throw refusal(extra, `\`settings\` and \`extraArgs.settings\`: ${reason}.`);
  }
  return { ...plan, settings: joinSettings(parsed(extra), settings), extraArgs: others };
}

function parsed(extra: string): Settings {
  try {
    return JSON.parse(extra);
  } catch (error) {
    throw refusal(extra, `extraArgs.settings: could not be read: ${messageOf(error)}`);
  }
}

function refusal(extra: string, text: string): OptionError {
  return new OptionError('extraArgs.settings', extra, text);
}

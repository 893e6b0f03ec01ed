// Options that are translated into several things, or into different ones.

import { messageOf, OptionError } from '../protocol/base/errors.js';
import type { InitializeRequest } from '../protocol/wire/control-requests.js';
import type { Options, SystemPromptOption } from './options.js';
import type { GivenOptions, Placed } from './row.js';

type Given<Name extends keyof Options> = NonNullable<Options[Name]>;

export function putPlugins(plugins: Given<'plugins'>, into: Placed, { pluginDelivery }: GivenOptions): void {
  if (pluginDelivery === 'initialize') into.initialize.plugins = plugins;
  else into.plan.pluginDirectories = plugins.map(({ path }) => path);
}

/** An object, its JSON, or the path of a file. */
export function putSettings(settings: Given<'settings'>, { plan }: Placed): void {
  if (typeof settings !== 'string' || !settings.trimStart().startsWith('{')) {
    plan.settings = settings;
    return;
  }
  try {
    plan.settings = JSON.parse(settings);
  } catch (error) {
    throw unreadableSettings(settings, error);
  }
}

export function unreadableSettings(pathOrJson: string, error: unknown): OptionError {
  return new OptionError(
    'settings',
    pathOrJson,
    `settings: "${pathOrJson.slice(0, 200)}" could not be read: ${messageOf(error)}`,
  );
}

/** Skills run through a tool, so rules for that tool allow the named ones. */
export function putSkills(skills: Given<'skills'>, { plan, initialize }: Placed): void {
  const rules = skills === 'all' ? ['Skill'] : skills.map((name) => `Skill(${name})`);
  plan.allowedTools = [...plan.allowedTools, ...rules];
  if (skills !== 'all') initialize.skills = skills;
}

export function putSystemPrompt(prompt: Given<'systemPrompt'>, { initialize }: Placed): void {
  Object.assign(initialize, systemPromptFields(prompt));
}

function systemPromptFields(prompt: SystemPromptOption): InitializeRequest {
  if (typeof prompt === 'string') return { systemPrompt: [prompt] };
  if (Array.isArray(prompt)) return { systemPrompt: prompt };
  const snapshot = prompt.snapshot == null ? {} : { systemPromptSnapshot: prompt.snapshot };
  if (prompt.type === 'custom') {
    return { systemPrompt: typeof prompt.prompt === 'string' ? [prompt.prompt] : prompt.prompt, ...snapshot };
  }
  return {
    ...(prompt.append == null ? {} : { appendSystemPrompt: prompt.append }),
    ...(prompt.excludeDynamicSections == null
      ? {}
      : { excludeDynamicSections: prompt.excludeDynamicSections }),
    ...snapshot,
  };
}

export function putThinking(thinking: Given<'thinking'>, { plan }: Placed): void {
  if (thinking.type !== 'enabled') plan.thinking = thinking.type;
  else if (thinking.budgetTokens == null) plan.thinking = 'adaptive';
  else plan.maxThinkingTokens = thinking.budgetTokens;
  if ('display' in thinking && thinking.display) plan.thinkingDisplay = thinking.display;
}

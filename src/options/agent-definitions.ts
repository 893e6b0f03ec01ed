// What is right in the definition of a subagent, and what the embedded runtime does with it.

import { isRecord } from '../protocol/base/kinds.js';
import type { AgentDefinition } from '../protocol/wire/agents.js';
import type { Support } from './row.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTruth = (value: unknown): boolean => typeof value === 'boolean';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const MODES: readonly unknown[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'];

/** The kinds of the fields that act. A field of another kind could mean a limit that would hold for nobody. */
const FIELDS: Readonly<Partial<Record<keyof AgentDefinition, (value: unknown) => boolean>>> = {
  description: isText,
  prompt: isText,
  tools: isTexts,
  disallowedTools: isTexts,
  model: isText,
  maxTurns: isCount,
  background: isTruth,
  omitClaudeMd: isTruth,
  skills: isTexts,
  initialPrompt: isText,
  criticalSystemReminder_EXPERIMENTAL: isText,
  effort: (value) => isText(value) || typeof value === 'number',
};

/** Whether a value that was received is a definition: its fields are of their kinds. */
export function isDefinition(value: unknown): value is AgentDefinition {
  if (!isRecord(value) || !isText(value.description) || !isText(value.prompt)) return false;
  return Object.entries(FIELDS).every(([name, isRight]) => value[name] == null || isRight(value[name]));
}

/** Fields without which an agent works as well as before. */
const UNUSED = ['memory', 'observer', 'observerMessage', 'autoCompactWindow'] as const;

/** Fields that restrict, or that an agent could not do without, are refused where they cannot be honoured. */
export function aboutAgents(agents: Readonly<Record<string, AgentDefinition>>): Support {
  for (const [name, definition] of Object.entries(agents)) {
    const { mcpServers, permissionMode } = definition ?? {};
    if (mcpServers?.some((server) => typeof server !== 'string')) {
      return {
        refuses: `the agent "${name}" defines servers in \`mcpServers\`; give them to the conversation, and their names to the agent`,
      };
    }
    if (permissionMode != null && !MODES.includes(permissionMode)) {
      return {
        refuses: `the agent "${name}" has the permissionMode "${permissionMode}", which it does not have`,
      };
    }
  }
  const unused = UNUSED.filter((field) =>
    Object.values(agents).some((definition) => definition?.[field] != null),
  );
  if (unused.length === 0) return 'acts';
  return {
    ignores: `of subagents it does not use ${unused.map((field) => `\`${field}\``).join(', ')}`,
    inPart: true,
  };
}

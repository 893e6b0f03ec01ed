import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { AgentDefinition } from '../../protocol/wire/agents.js';
import type { AgentInfo } from '../../protocol/wire/control-payloads.js';

/** Whose it is: the runtime's own, the program's, or found in files. */
export type AgentSource = 'built-in' | 'given' | 'user' | 'project' | 'plugin';

/** An agent that another one can hand a task to, or that a conversation can be led by. */
export interface KnownAgent
  extends Pick<
    AgentDefinition,
    | 'background'
    | 'criticalSystemReminder_EXPERIMENTAL'
    | 'description'
    | 'disallowedTools'
    | 'initialPrompt'
    | 'maxTurns'
    | 'omitClaudeMd'
    | 'prompt'
    | 'skills'
    | 'tools'
  > {
  readonly name: string;
  readonly source: AgentSource;
  /** Undefined: that of whoever calls it. */
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** Undefined: that of the conversation. */
  readonly permissionMode?: PermissionMode | undefined;
}

/** Those of `agents`. They were checked when they were received. */
export function givenAgents(definitions: Readonly<Record<string, AgentDefinition>>): KnownAgent[] {
  return Object.entries(definitions).map(([name, { effort, ...definition }]) => ({
    ...definition,
    name,
    source: 'given' as const,
    effort: effort === undefined ? undefined : String(effort),
  }));
}

/** As hosts list them. */
export function agentInfo({ name, description, model }: KnownAgent): AgentInfo {
  return { name, description, ...(model === undefined ? {} : { model }) };
}

/** For sorting, without regard to case. */
export function byName(left: KnownAgent, right: KnownAgent): number {
  return left.name.toLowerCase() < right.name.toLowerCase() ? -1 : 1;
}

/** A name counts once: what comes first wins. */
export function firstOfEachName(agents: readonly KnownAgent[]): KnownAgent[] {
  const names = new Set<string>();
  return agents.filter(({ name }) => !names.has(name) && names.add(name) !== undefined);
}

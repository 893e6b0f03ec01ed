import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { TurnPermissions } from '../permissions/asking-agent.js';
import type { Permissions } from '../permissions/permissions.js';
import { RAISING } from './agent-files.js';
import type { KnownAgent } from './known-agent.js';

/** The conversation's permissions, as a subagent meets them: the host is told who asks. */
export function agentPermissions(
  permissions: Permissions,
  id: string,
  agent: Pick<KnownAgent, 'permissionMode'>,
): TurnPermissions {
  return {
    isRemoved: (tool) => permissions.isRemoved(tool),
    forbids: (tool, access) => permissions.forbids(tool, access),
    decide: (question) =>
      permissions.decide({ ...question, agent: { id, mode: modeOf(agent, permissions) } }),
  };
}

/**
 * A mode that restricts always holds. One that allows more does so only where people are asked: an agent gets no
 * further than its conversation, which may be planning, or started without the right to skip questions.
 */
function modeOf(
  { permissionMode: wanted }: Pick<KnownAgent, 'permissionMode'>,
  permissions: Permissions,
): PermissionMode | undefined {
  if (wanted === undefined || !RAISING.has(wanted)) return restricting(wanted, permissions.mode);
  const isAsking = permissions.mode === 'default' || permissions.mode === 'acceptEdits';
  return isAsking && (wanted !== 'bypassPermissions' || permissions.mayBypass) ? wanted : undefined;
}

/** `default` is no restriction of its own where the conversation plans or asks nobody. */
function restricting(wanted: PermissionMode | undefined, mode: PermissionMode): PermissionMode | undefined {
  return wanted === 'default' && (mode === 'plan' || mode === 'dontAsk') ? undefined : wanted;
}

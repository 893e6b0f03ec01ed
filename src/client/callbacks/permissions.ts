import { messageOf } from '../../protocol/base/errors.js';
import { isRecord, withoutUndefined } from '../../protocol/base/kinds.js';
import type { InboundRequest } from '../../protocol/channel/control-channel.js';
import { type Received, recordField, textField } from '../../protocol/channel/received-fields.js';
import type {
  CanUseTool,
  CanUseToolContext,
  PermissionResult,
  PermissionUpdate,
} from '../../protocol/permissions/permissions.js';
import type { CanUseToolRequest } from '../../protocol/wire/control-requests.js';
import type { Debug } from '../query/observers.js';

/**
 * Answers `can_use_tool`. Whatever the callback does, the agent gets a valid answer; anything but a clear
 * allow becomes a denial that tells the developer what was wrong.
 */
export async function answerPermission(
  canUseTool: CanUseTool | undefined,
  fields: Received<CanUseToolRequest>,
  request: InboundRequest,
  { debug, warn }: { debug: Debug; warn: (text: string) => void },
): Promise<PermissionResult> {
  const toolName = textField(fields, 'tool_name');
  const input = recordField(fields, 'input');
  const toolUseID = text(fields.tool_use_id);
  const answer = (result: PermissionResult): PermissionResult =>
    toolUseID === undefined ? result : { ...result, toolUseID };
  if (canUseTool === undefined) return answer(deny('canUseTool callback is not provided.'));
  let returned: unknown;
  try {
    // A copy: an answer without `updatedInput` means the input that the model gave.
    returned = await canUseTool(toolName, structuredClone(input), contextOf(fields, request));
  } catch (error) {
    debug('permission', `canUseTool threw for ${toolName}`, error);
    return answer(deny(`The canUseTool callback threw: ${messageOf(error)}`));
  }
  const result = checkedResult(returned, input, warn);
  if (result === undefined) {
    debug('permission', 'canUseTool returned something that is not a decision', returned);
    return answer(deny(explain(returned)));
  }
  return answer(result);
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}

function checkedResult(
  returned: unknown,
  input: Record<string, unknown>,
  warn: (text: string) => void,
): PermissionResult | undefined {
  if (typeof returned !== 'object' || returned === null || !('behavior' in returned)) return undefined;
  const result = returned as PermissionResult;
  if (result.behavior === 'deny') {
    return typeof result.message === 'string' ? result : { ...result, message: 'Denied by canUseTool.' };
  }
  if (result.behavior !== 'allow') return undefined;
  // CLIs before 2.1.240 reject an allow without `updatedInput`, and none accepts null. Absent means
  // unchanged.
  const { updatedPermissions, ...rest } = result;
  const allowed: PermissionResult = { ...rest, updatedInput: result.updatedInput ?? input };
  if (Array.isArray(updatedPermissions)) {
    allowed.updatedPermissions = updatedPermissions.filter((update) => !liftsOptions(update));
    if (allowed.updatedPermissions.length < updatedPermissions.length) warn(STAYS);
  }
  return allowed;
}

const STAYS =
  'canUseTool: `updatedPermissions` cannot take back what `disallowedTools` forbids; the update with the destination "cliArg" was left out.';

/** The CLI would do it. */
function liftsOptions(update: unknown): boolean {
  if (!isRecord(update) || update.destination !== 'cliArg' || update.behavior === 'allow') return false;
  return update.type === 'removeRules' || update.type === 'replaceRules';
}

function explain(returned: unknown): string {
  let shown: string;
  try {
    shown = JSON.stringify(returned) ?? String(returned);
  } catch {
    shown = String(returned);
  }
  return (
    `The canUseTool callback returned ${shown.slice(0, 200)}, which is not a decision. ` +
    "Return { behavior: 'allow', updatedInput? } or { behavior: 'deny', message }."
  );
}

/** Optional fields are passed on if they have the type they should have, and dropped otherwise. */
function contextOf(fields: Received<CanUseToolRequest>, request: InboundRequest): CanUseToolContext {
  const optional = {
    suggestions: list<PermissionUpdate>(fields.permission_suggestions),
    blockedPath: text(fields.blocked_path),
    mcpServer: provenance(fields.mcp_server),
    decisionReason: text(fields.decision_reason),
    decisionReasonType: text(fields.decision_reason_type),
    title: text(fields.title),
    displayName: text(fields.display_name),
    description: text(fields.description),
    defaultToNo: flag(fields.default_to_no),
    suppressAlwaysAllowRule: flag(fields.suppress_always_allow_rule),
    serverPolicyAskOnly: flag(fields.server_policy_ask_only),
    requiresUserInteraction: flag(fields.requires_user_interaction),
    agentID: text(fields.agent_id),
    matchedAskRule: askRule(fields.matched_ask_rule),
  };
  return {
    signal: request.signal,
    toolUseID: text(fields.tool_use_id) ?? '',
    requestId: request.requestId,
    ...withoutUndefined(optional),
  };
}

function provenance(value: unknown): CanUseToolContext['mcpServer'] {
  return isRecord(value) && typeof value.name === 'string' && typeof value.source === 'string'
    ? (value as { name: string; source: string })
    : undefined;
}

function askRule(value: unknown): CanUseToolContext['matchedAskRule'] {
  if (!isRecord(value)) return undefined;
  const { source, tool_name: toolName, rule_content: ruleContent } = value;
  if (typeof source !== 'string' || typeof toolName !== 'string') return undefined;
  return { source, toolName, ...withoutUndefined({ ruleContent: text(ruleContent) }) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function list<Item>(value: unknown): Item[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

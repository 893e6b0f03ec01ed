import type { InboundRequest } from '../../protocol/control-channel.js';
import type { CanUseToolRequest } from '../../protocol/control-requests.js';
import { messageOf } from '../../protocol/errors.js';
import type { CanUseTool, CanUseToolContext, PermissionResult } from '../../protocol/permissions.js';
import type { Debug } from '../debug.js';

/**
 * Answers `can_use_tool`. Whatever the callback does, the agent gets a valid answer, and what is not clearly an
 * allow is a deny that tells the developer what was wrong.
 */
export async function answerPermission(
  canUseTool: CanUseTool | undefined,
  request: InboundRequest,
  debug: Debug,
): Promise<PermissionResult> {
  const fields = request.fields as unknown as CanUseToolRequest;
  const answer = (result: PermissionResult): PermissionResult =>
    fields.tool_use_id === undefined ? result : { ...result, toolUseID: fields.tool_use_id };
  if (canUseTool === undefined) return answer(deny('canUseTool callback is not provided.'));
  let returned: unknown;
  try {
    returned = await canUseTool(fields.tool_name, fields.input, contextOf(fields, request));
  } catch (error) {
    debug('permission', `canUseTool threw for ${fields.tool_name}`, error);
    return answer(deny(`The canUseTool callback threw: ${messageOf(error)}`));
  }
  const result = checked(returned, fields.input);
  if (result === undefined) {
    debug('permission', `canUseTool returned something that is no decision`, returned);
    return answer(deny(explain(returned)));
  }
  return answer(result);
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}

function checked(returned: unknown, input: Record<string, unknown>): PermissionResult | undefined {
  if (typeof returned !== 'object' || returned === null || !('behavior' in returned)) return undefined;
  const result = returned as PermissionResult;
  if (result.behavior === 'deny') {
    return typeof result.message === 'string' ? result : { ...result, message: 'Denied by canUseTool.' };
  }
  if (result.behavior !== 'allow') return undefined;
  // CLIs before 2.1.240 refuse an allow without it, and none takes null. Absent means "as it is".
  const { updatedPermissions, ...rest } = result;
  const allowed: PermissionResult = { ...rest, updatedInput: result.updatedInput ?? input };
  if (Array.isArray(updatedPermissions)) allowed.updatedPermissions = updatedPermissions;
  return allowed;
}

function explain(returned: unknown): string {
  let shown: string;
  try {
    shown = JSON.stringify(returned) ?? String(returned);
  } catch {
    shown = String(returned);
  }
  return (
    `The canUseTool callback returned ${shown.slice(0, 200)}, which is no decision. ` +
    "Return { behavior: 'allow', updatedInput? } or { behavior: 'deny', message }."
  );
}

function contextOf(fields: CanUseToolRequest, request: InboundRequest): CanUseToolContext {
  const context: CanUseToolContext = {
    signal: request.signal,
    toolUseID: fields.tool_use_id,
    requestId: request.requestId,
  };
  const matched = fields.matched_ask_rule;
  const optional: Partial<CanUseToolContext> = {
    suggestions: fields.permission_suggestions,
    blockedPath: fields.blocked_path,
    mcpServer: fields.mcp_server,
    decisionReason: fields.decision_reason,
    decisionReasonType: fields.decision_reason_type,
    title: fields.title,
    displayName: fields.display_name,
    description: fields.description,
    defaultToNo: fields.default_to_no,
    suppressAlwaysAllowRule: fields.suppress_always_allow_rule,
    serverPolicyAskOnly: fields.server_policy_ask_only,
    requiresUserInteraction: fields.requires_user_interaction,
    agentID: fields.agent_id,
    ...(matched && {
      matchedAskRule: {
        source: matched.source,
        toolName: matched.tool_name,
        ...(matched.rule_content === undefined ? {} : { ruleContent: matched.rule_content }),
      },
    }),
  } as Partial<CanUseToolContext>;
  return Object.assign(context, withoutUndefined(optional));
}

function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

// How decisions are reported: beside the result of the call, in the line about a denial, and in the question.
import type { HookOpinion } from '../../protocol/permissions/permission-decision.js';
import type { CanUseToolRequest } from '../../protocol/wire/control-requests.js';
import type { PermissionDecisionReport, ToolResultMeta } from '../conversation/written-lines.js';
import type { RuntimeTool, ToolAccess } from '../tools/tool-port.js';
import type { AccessRuling } from './access-ruling.js';
import { suggestedRules } from './skill-permission.js';

/** The `permission_decision` and `non_execution_kind` of the line that shows the result. */
export type DecisionFields = Omit<ToolResultMeta, 'id'>;

export type RejectionSource = Omit<PermissionDecisionReport, 'decision'>;

export function rejection(
  kind: NonNullable<DecisionFields['non_execution_kind']>,
  source: RejectionSource,
): DecisionFields {
  return { non_execution_kind: kind, permission_decision: { decision: 'reject', ...source } };
}

/** A question that reached nobody is reported differently from a denial. */
export function refusalFields(
  { kind }: AccessRuling,
  reasonType: RejectionSource['reason_type'] = 'other',
): DecisionFields {
  return kind === 'ask'
    ? rejection('user-rejected', { source: 'config' })
    : rejection('permission-rule', { source: 'config', reason_type: reasonType });
}

/** Whose decision a rule is: what the host added during the conversation is still the user's, as are their own settings. */
const SOURCES: Readonly<Record<string, PermissionDecisionReport['source']>> = {
  session: 'user_temporary',
  localSettings: 'user_permanent',
  userSettings: 'user_permanent',
};

export function acceptance({ by, rule, type }: AccessRuling): PermissionDecisionReport {
  const source = by === 'hook' ? 'hook' : (SOURCES[rule?.source ?? ''] ?? 'config');
  const reason_type = type ?? (by === 'policy' ? 'rule' : by);
  return { decision: 'accept', source, ...(by === 'tool' ? {} : { reason_type }) };
}

/** What a denial, or a question that reached nobody, is put down to. */
export function denialReason({ by, type, told }: AccessRuling): {
  decision_reason_type?: string;
  decision_reason?: string;
} {
  const known = type ?? (by === 'policy' ? 'rule' : by);
  return {
    ...(known === 'nothing' ? {} : { decision_reason_type: known }),
    ...(told?.decision_reason === undefined ? {} : { decision_reason: told.decision_reason }),
  };
}

export function deniedText(name: string, { rule, refused }: AccessRuling): string {
  if (refused !== undefined) return refused;
  return rule === undefined
    ? `Permission to use ${name} is denied by the policy of its server.`
    : `Permission to use ${name} is denied by the rule "${rule.rule.text}".`;
}

/** Of a question that reached nobody. */
export function ungrantedText(name: string, { by, told }: AccessRuling): string {
  if (by === 'mode') return `Cannot call ${name} while in plan mode.`;
  const text = `Permission to use ${name} has not been granted.`;
  return told?.decision_reason === undefined ? text : `${text} ${told.decision_reason}.`;
}

/** How a call of a built-in tool is shown to people. */
export function shownFields(
  tool: RuntimeTool,
  input: Readonly<Record<string, unknown>>,
  access: ToolAccess | undefined,
  shown: (path: string) => string,
): Partial<CanUseToolRequest> {
  if (access === undefined) return {};
  const description = descriptionOf(input, access, shown);
  return { display_name: tool.name, ...(typeof description === 'string' ? { description } : {}) };
}

function descriptionOf(
  input: Readonly<Record<string, unknown>>,
  access: ToolAccess,
  shown: (path: string) => string,
): unknown {
  if (access.kind === 'command') return input.description ?? access.command;
  if (access.kind === 'read' || access.kind === 'edit') return input.pattern ?? shown(access.path);
  return undefined;
}

/** Why the host is asked; if no rule or hook concerns the tool, what would avoid the next question. */
export function reasonFields(
  toolName: string,
  { by, rule, told }: AccessRuling,
  { ask }: HookOpinion,
  access: ToolAccess | undefined,
): Partial<CanUseToolRequest> {
  if (access?.kind === 'question') return { requires_user_interaction: true };
  if (by === 'hook') {
    return {
      decision_reason: ask ?? '',
      decision_reason_type: 'hook',
      decision_reason_hook_event: 'PreToolUse',
    };
  }
  if (by === 'policy') {
    return { decision_reason_type: 'rule', decision_reason_rule_source: 'mcpServerPolicy' };
  }
  if (by === 'rule' && rule !== undefined) {
    const { tool, specifier } = rule.rule;
    const content = specifier === undefined ? {} : { rule_content: specifier };
    const matched_ask_rule = { source: rule.source, tool_name: tool, ...content };
    return { decision_reason_type: 'rule', decision_reason_rule_source: rule.source, matched_ask_rule };
  }
  if (told !== undefined) return told;
  if (by === 'mode') return {};
  return { permission_suggestions: suggestedRules(toolName, access) };
}

import type { PermissionUpdate } from '../../protocol/permissions/permissions.js';
import type { RuntimeTool, ToolAccess } from '../tools/tool-port.js';
import type { Decision } from './question.js';

/** A skill that is only a text needs no permission; rules that forbid it count nevertheless. */
export function subjectOf(tool: RuntimeTool, access: ToolAccess | undefined): RuntimeTool {
  return access?.kind === 'skill' && access.isPlain ? { ...tool, needsNoPermission: true } : tool;
}

/** Rules that avoid the next question. */
export function suggestedRules(toolName: string, access: ToolAccess | undefined): PermissionUpdate[] {
  const rules =
    access?.kind === 'skill'
      ? [access.name, `${access.name}:*`].map((ruleContent) => ({ toolName, ruleContent }))
      : [{ toolName }];
  return rules.map((rule) => ({
    type: 'addRules',
    rules: [rule],
    behavior: 'allow',
    destination: 'session',
  }));
}

/** For a call that the model has not made: a text that it loads would. `forbidden`: why it is, whoever is asked. */
export function unaskedDenial(toolName: string, forbidden: string | undefined): Decision {
  return {
    kind: 'deny',
    message: forbidden ?? `no rule allows it, and nobody is asked about ${toolName} here.`,
    interrupt: false,
    fields: {
      non_execution_kind: 'permission-rule',
      permission_decision: { decision: 'reject', source: 'config' },
    },
  };
}

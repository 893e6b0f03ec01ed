import type { PermissionRuling } from '../../protocol/permissions/permission-decision.js';
import type { ToolAccess } from '../tools/tool-port.js';

/** What only the user can answer is asked, whatever rules and modes allow. */
export function withQuestion(ruling: PermissionRuling, access: ToolAccess | undefined): PermissionRuling {
  if (access?.kind !== 'question' || ruling.kind === 'deny') return ruling;
  return { kind: 'ask', by: 'tool', insists: true };
}

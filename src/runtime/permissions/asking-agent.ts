import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { Permissions } from './permissions.js';

/** What a turn asks about its calls: the conversation's permissions, or a subagent's view of them. */
export type TurnPermissions = Pick<Permissions, 'decide' | 'forbids' | 'isRemoved'>;

/** The subagent that makes a call. */
export interface AskingAgent {
  readonly id: string;
  /** Its own mode; undefined: that of the conversation. */
  readonly mode: PermissionMode | undefined;
}

import type { RuleInForce } from '../../protocol/permissions/permission-decision.js';
import type { CanUseToolRequest } from '../../protocol/wire/control-requests.js';

/** What the host is told when it is asked. */
export type Told = Pick<
  CanUseToolRequest,
  | 'permission_suggestions'
  | 'blocked_path'
  | 'decision_reason'
  | 'decision_reason_type'
  | 'classifier_approvable'
  | 'suppress_always_allow_rule'
  | 'server_policy_ask_only'
>;

/** How `permission_decision` names what decided. */
export type ReasonType = NonNullable<CanUseToolRequest['decision_reason_type']>;

/** All that is to be said about one call, before hooks and modes. Nothing in it is a decision yet. */
export interface Judgement {
  /** A rule forbids it. */
  readonly denied?: { readonly rule: RuleInForce; readonly type: ReasonType } | undefined;
  /** It is not done, whoever allows it. */
  readonly refused?: string | undefined;
  /** A rule wants the host to be asked. */
  readonly asked?: RuleInForce | undefined;
  /** A person should see it first. `holdsAlways`: also where no permission is needed. */
  readonly unsafe?: { readonly told: Told; readonly holdsAlways: boolean } | undefined;
  /** It may change something, so not in plan mode. */
  readonly changes: boolean;
  /** It is about a file outside of the working directories: a rule for all files does not reach that far. */
  readonly isOutside?: boolean | undefined;
  /** What lets it run without a question. */
  readonly allowed?:
    | { readonly by: 'rule' | 'mode'; readonly type: ReasonType; readonly rule?: RuleInForce | undefined }
    | undefined;
  /** What the host is told if nothing lets it run. */
  readonly told: Told;
}

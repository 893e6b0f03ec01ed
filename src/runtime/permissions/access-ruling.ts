import type {
  HookOpinion,
  PermissionRuling,
  RuleInForce,
} from '../../protocol/permissions/permission-decision.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { Judgement, ReasonType, Told } from './judgement.js';

/** What is to happen to a call, and how it is reported. */
export interface AccessRuling extends PermissionRuling {
  /** How the reason is reported. Absent: not at all. */
  readonly type?: ReasonType | undefined;
  /** What the host is told, if it is asked. */
  readonly told?: Told | undefined;
  /** Why, in words, if it is refused whoever allows it. */
  readonly refused?: string | undefined;
}

interface RulingState {
  readonly mode: PermissionMode;
  readonly hook: HookOpinion;
  /** Rules for every call of the tool. */
  readonly wholeAllow: RuleInForce | undefined;
  readonly wholeAsk: RuleInForce | undefined;
}

/**
 * The order is the CLI's: what denies, what a rule or a safety check asks about, a hook that asks, plan mode, and then
 * whatever allows.
 */
export function ruleAccess(judgement: Judgement, state: RulingState): AccessRuling {
  const { denied, refused, unsafe, changes, told } = judgement;
  const { mode, hook, wholeAllow, wholeAsk } = state;
  if (denied !== undefined) return { kind: 'deny', by: 'rule', rule: denied.rule, type: denied.type };
  if (refused !== undefined) {
    return { kind: 'deny', by: 'nothing', type: 'other', refused, told: { decision_reason: refused } };
  }
  const asked = judgement.asked ?? wholeAsk;
  if (asked !== undefined) return { kind: 'ask', by: 'rule', rule: asked, type: 'rule' };
  const isBypassed = mode === 'bypassPermissions';
  if (unsafe !== undefined && (unsafe.holdsAlways || !isBypassed)) {
    return { kind: 'ask', by: 'nothing', type: unsafe.told.decision_reason_type, told: unsafe.told };
  }
  if (hook.ask !== undefined) return { kind: 'ask', by: 'hook', type: 'hook', insists: true };
  if (mode === 'plan' && changes) {
    return { kind: 'ask', by: 'mode', type: 'mode', told: { decision_reason_type: 'mode' } };
  }
  if (hook.allow) return { kind: 'allow', by: 'hook', type: 'hook' };
  if (isBypassed) return { kind: 'allow', by: 'mode', type: 'mode' };
  const allowed = allowanceOf(judgement, wholeAllow);
  if (allowed === undefined) return { kind: 'ask', by: 'nothing', type: told.decision_reason_type, told };
  const { by, type, rule } = allowed;
  return { kind: 'allow', by, type, ...(rule === undefined ? {} : { rule }) };
}

/** Rules come before the mode, because they say more. */
function allowanceOf(
  { allowed, isOutside }: Judgement,
  whole: RuleInForce | undefined,
): Judgement['allowed'] {
  if (allowed?.by === 'rule' || whole === undefined) return allowed;
  return isOutside === true && !isEverywhere(whole) ? allowed : { by: 'rule', type: 'rule', rule: whole };
}

/** `Read` is about every file; `Read(*)` and `Read()` are about those of the working directories, as in the CLI. */
export function isEverywhere({ rule }: RuleInForce): boolean {
  return !rule.text.endsWith(')');
}

// What becomes of a tool call before anybody is asked: rules first, then the mode. Both halves use it.

import type { McpServerToolPolicy } from './mcp.js';
import {
  deniesWholeTool,
  matchesCall,
  type PermissionRule,
  type RuleKind,
  type RuleSubject,
} from './permission-rules.js';
import type { PermissionMode } from './permissions.js';

/** A tool, as far as permissions depend on it. */
export interface PermissionSubject extends RuleSubject {
  readonly isReadOnly: boolean;
  /** The agent's own tools that do nothing to the world. */
  readonly needsNoPermission: boolean;
  readonly policy: McpServerToolPolicy['permission_policy'];
}

/** A rule and where it is from: `cliArg` are `allowedTools` and `disallowedTools`. */
export interface RuleInForce {
  readonly kind: RuleKind;
  readonly rule: PermissionRule;
  readonly source: string;
}

export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: readonly RuleInForce[];
}

/** What a PreToolUse hook has said. */
export interface HookOpinion {
  readonly allow: boolean;
  readonly ask: string | undefined;
}

/** Why: the rule, the mode, the server's policy, a hook, the tool itself; `nothing`: nobody has said anything. */
export interface PermissionReason {
  readonly by: 'rule' | 'mode' | 'policy' | 'hook' | 'tool' | 'nothing';
  readonly rule?: RuleInForce;
}

export type PermissionRuling = PermissionReason & {
  /** `ask`: the host decides; when there is none, or nobody is to be asked, it is a no. */
  readonly kind: 'allow' | 'deny' | 'ask';
  /** The host is asked even in a mode in which nobody is. */
  readonly insists?: boolean;
};

/** The rule that takes the tool away altogether. */
export function removingRule(tool: RuleSubject, { rules }: PermissionState): RuleInForce | undefined {
  return rules.find(({ kind, rule }) => kind === 'deny' && deniesWholeTool(rule, tool));
}

/** The order is the CLI's: a no of any kind first, then whoever wants to be asked, then plan mode, then who allows. */
export function decideCall(
  tool: PermissionSubject,
  input: Readonly<Record<string, unknown>>,
  state: PermissionState,
  hook: HookOpinion,
): PermissionRuling {
  const find = (kind: RuleKind): RuleInForce | undefined =>
    state.rules.find((each) => each.kind === kind && matchesCall(each.rule, tool, kind, input));
  const denied = find('deny');
  if (denied !== undefined) return { kind: 'deny', by: 'rule', rule: denied };
  if (tool.policy === 'always_deny') return { kind: 'deny', by: 'policy' };
  if (hook.ask !== undefined) return { kind: 'ask', by: 'hook', insists: true };
  if (tool.policy === 'always_ask') return { kind: 'ask', by: 'policy' };
  const asked = find('ask');
  if (asked !== undefined) return { kind: 'ask', by: 'rule', rule: asked };
  if (tool.needsNoPermission) return { kind: 'allow', by: 'tool' };
  if (state.mode === 'plan' && !tool.isReadOnly) return { kind: 'ask', by: 'mode' };
  if (hook.allow) return { kind: 'allow', by: 'hook' };
  if (state.mode === 'bypassPermissions') return { kind: 'allow', by: 'mode' };
  if (tool.policy === 'always_allow') return { kind: 'allow', by: 'policy' };
  const allowed = find('allow');
  if (allowed !== undefined) return { kind: 'allow', by: 'rule', rule: allowed };
  return { kind: 'ask', by: 'nothing' };
}

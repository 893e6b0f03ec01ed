// Decides a tool call before anyone is asked: rules first, then the mode. The client and the runtime both use
// it.

import type { McpServerToolPolicy } from '../../mcp/types.js';
import {
  deniesWholeTool,
  matchesCall,
  type PermissionRule,
  type RuleKind,
  type RuleSubject,
  type SpecifierChecks,
} from './permission-rules.js';
import type { PermissionMode } from './permissions.js';

/** What permissions depend on in a tool. */
export interface PermissionSubject extends RuleSubject {
  readonly isReadOnly?: boolean | undefined;
  /** For the agent's own tools that have no effect outside the conversation. */
  readonly needsNoPermission?: boolean | undefined;
  readonly policy?: McpServerToolPolicy['permission_policy'];
}

/** A rule and where it comes from; the source `cliArg` means `allowedTools` and `disallowedTools`. */
export interface RuleInForce<Source extends string = string> {
  readonly kind: RuleKind;
  readonly rule: PermissionRule;
  readonly source: Source;
}

export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: readonly RuleInForce[];
}

/** What a PreToolUse hook decided. */
export interface HookOpinion {
  readonly allow: boolean;
  readonly ask: string | undefined;
}

/** What decided: a rule, the mode, the server's policy, a hook, the tool itself, or `nothing` at all. */
export interface PermissionReason {
  readonly by: 'rule' | 'mode' | 'policy' | 'hook' | 'tool' | 'nothing';
  readonly rule?: RuleInForce;
}

export type PermissionRuling = PermissionReason & {
  /** `ask`: the host decides; without a host, or in a mode that asks nobody, the call is denied. */
  readonly kind: 'allow' | 'deny' | 'ask';
  /** The host is asked even in a mode that asks nobody. */
  readonly insists?: boolean;
};

/** The rule that removes the tool altogether. */
export function removingRule(tool: RuleSubject, { rules }: PermissionState): RuleInForce | undefined {
  return rules.find(({ kind, rule }) => kind === 'deny' && deniesWholeTool(rule, tool));
}

/**
 * The order is the CLI's: anything that denies, then anything that asks, then plan mode, then anything that
 * allows.
 */
export function decideCall(
  tool: PermissionSubject,
  input: Readonly<Record<string, unknown>>,
  state: PermissionState,
  hook: HookOpinion,
  checks?: SpecifierChecks,
): PermissionRuling {
  const find = (kind: RuleKind): RuleInForce | undefined =>
    state.rules.find((each) => each.kind === kind && matchesCall(each.rule, tool, kind, input, checks));
  const denied = find('deny');
  if (denied !== undefined) return { kind: 'deny', by: 'rule', rule: denied };
  if (tool.policy === 'always_deny') return { kind: 'deny', by: 'policy' };
  if (hook.ask !== undefined) return { kind: 'ask', by: 'hook', insists: true };
  if (tool.policy === 'always_ask') return { kind: 'ask', by: 'policy' };
  const asked = find('ask');
  if (asked !== undefined) return { kind: 'ask', by: 'rule', rule: asked };
  if (tool.needsNoPermission) return allowedBy(find('allow')) ?? { kind: 'allow', by: 'tool' };
  if (state.mode === 'plan' && !tool.isReadOnly) return { kind: 'ask', by: 'mode' };
  if (hook.allow) return { kind: 'allow', by: 'hook' };
  if (state.mode === 'bypassPermissions') return { kind: 'allow', by: 'mode' };
  if (tool.policy === 'always_allow') return { kind: 'allow', by: 'policy' };
  return allowedBy(find('allow')) ?? { kind: 'ask', by: 'nothing' };
}

function allowedBy(rule: RuleInForce | undefined): PermissionRuling | undefined {
  return rule === undefined ? undefined : { kind: 'allow', by: 'rule', rule };
}

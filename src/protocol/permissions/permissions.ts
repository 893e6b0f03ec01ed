// Permission rules, the agent's permission request and the answers to it.

export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

export type PermissionBehavior = 'allow' | 'deny' | 'ask';

// `ruleContent` stays exact (no `| undefined`): suggestions are passed to callbacks typed by the official
// SDK.
export type PermissionRuleValue = { toolName: string; ruleContent?: string };

export type PermissionUpdateDestination =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'session'
  | 'cliArg';

type RulesUpdate<Type extends string> = {
  type: Type;
  rules: PermissionRuleValue[];
  behavior: PermissionBehavior;
  destination: PermissionUpdateDestination;
};

type DirectoriesUpdate<Type extends string> = {
  type: Type;
  directories: string[];
  destination: PermissionUpdateDestination;
};

export type PermissionUpdate =
  | RulesUpdate<'addRules'>
  | RulesUpdate<'replaceRules'>
  | RulesUpdate<'removeRules'>
  | { type: 'setMode'; mode: PermissionMode; destination: PermissionUpdateDestination }
  | DirectoriesUpdate<'addDirectories'>
  | DirectoriesUpdate<'removeDirectories'>;

export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

export type PermissionResult =
  | {
      behavior: 'allow';
      updatedInput?: Record<string, unknown> | undefined;
      updatedPermissions?: PermissionUpdate[] | undefined;
      toolUseID?: string | undefined;
      decisionClassification?: PermissionDecisionClassification | undefined;
    }
  | {
      behavior: 'deny';
      message: string;
      interrupt?: boolean | undefined;
      toolUseID?: string | undefined;
      decisionClassification?: PermissionDecisionClassification | undefined;
    };

/** What is known about the call besides its name and input. */
export type CanUseToolContext = {
  signal: AbortSignal;
  suggestions?: PermissionUpdate[];
  blockedPath?: string;
  mcpServer?: { name: string; source: string };
  decisionReason?: string;
  title?: string;
  displayName?: string;
  description?: string;
  defaultToNo?: boolean;
  suppressAlwaysAllowRule?: boolean;
  // As sent by the agent; the official SDK passes them on too, although its typings do not name them.
  decisionReasonType?: string;
  requiresUserInteraction?: boolean;
  serverPolicyAskOnly?: boolean;
  toolUseID: string;
  agentID?: string;
  requestId: string;
  matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
};

/**
 * `null`, which the official typings permit, is not a decision: it denies, like anything that is not an
 * allow. A promise, for those who call or wrap one; at run time a plain answer will do too.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolContext,
) => Promise<PermissionResult | null>;

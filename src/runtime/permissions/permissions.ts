import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { ControlFault } from '../../protocol/channel/control-channel.js';
import {
  decideCall,
  type HookOpinion,
  type PermissionRuling,
  type PermissionState,
  removingRule,
} from '../../protocol/permissions/permission-decision.js';
import type { PermissionMode, PermissionResult } from '../../protocol/permissions/permissions.js';
import type { CanUseToolRequest } from '../../protocol/wire/control-requests.js';
import type { Lines } from '../conversation/lines.js';
import type { PermissionDecisionReport, ToolResultMeta } from '../conversation/written-lines.js';
import type { Host } from '../host.js';
import type { ConversationSettings } from '../settings/conversation-settings.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import { RuleBook } from './rule-book.js';

/** The `permission_decision` and `non_execution_kind` of the line that shows the result. */
export type DecisionFields = Omit<ToolResultMeta, 'id'>;

export type Decision =
  | { kind: 'allow'; input: Record<string, unknown>; fields: DecisionFields }
  | { kind: 'deny'; message: string; interrupt: boolean; fields: DecisionFields };

export interface Question {
  tool: RuntimeTool;
  toolUseId: string;
  input: Record<string, unknown>;
  hook: HookOpinion;
  signal: AbortSignal;
}

const MODES: ReadonlySet<unknown> = new Set<PermissionMode>([
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
]);

/** Decides about calls: rules first, then the mode, then the host. What nothing allows is denied. */
export class Permissions {
  mode: PermissionMode;
  readonly book: RuleBook;
  readonly #flags: RuntimeFlags;
  readonly #mayBypass: boolean;
  readonly #bypassDisabledBy: string | undefined;
  readonly #host: Host;
  readonly #lines: Lines;

  constructor(
    flags: RuntimeFlags,
    settings: ConversationSettings['permissions'],
    host: Host,
    lines: Lines,
    warn: (text: string) => void,
  ) {
    this.#flags = flags;
    this.#host = host;
    this.#lines = lines;
    this.mode = flags.permissionMode ?? settings.defaultMode ?? 'default';
    this.#mayBypass = flags.allowBypass || this.mode === 'bypassPermissions';
    this.#bypassDisabledBy = settings.bypassDisabledBy;
    this.book = new RuleBook({ setMode: (mode) => this.setMode(mode), warn }, settings.managedRulesOnly);
    this.book.add('allow', flags.allowedTools, 'cliArg');
    this.book.add('deny', flags.disallowedTools, 'cliArg');
    this.book.addDirectories(flags.addDirectories, 'cliArg');
    for (const { kind, texts, source } of settings.rules) this.book.add(kind, texts, source);
    for (const { paths, source } of settings.directories) this.book.addDirectories(paths, source);
    for (const text of settings.warnings) warn(text);
    if (this.mode === 'bypassPermissions' && this.#bypassDisabledBy !== undefined) {
      this.mode = 'default';
      warn(
        `permissionMode "bypassPermissions" is disabled in ${this.#bypassDisabledBy}: the mode is "default".`,
      );
    }
    if (this.mode === 'auto') {
      this.mode = 'default';
      warn('permissionMode "auto" needs the safety check of the Claude Code CLI: the mode is "default".');
    }
  }

  /**
   * Throws for an unknown mode, and for `bypassPermissions` unless the conversation was started to permit
   * it.
   */
  setMode(mode: unknown): void {
    if (!MODES.has(mode)) throw new ControlFault('invalid_mode', `Invalid permission mode: ${mode}`);
    if (mode === 'bypassPermissions' && this.#bypassDisabledBy !== undefined) {
      throw new ControlFault(
        'bypass_disabled',
        `Cannot set permission mode to bypassPermissions: it is disabled in ${this.#bypassDisabledBy}.`,
      );
    }
    if (mode === 'bypassPermissions' && !this.#mayBypass) {
      throw new ControlFault(
        'bypass_not_launched',
        'Cannot set permission mode to bypassPermissions: the conversation was not started with allowDangerouslySkipPermissions.',
      );
    }
    this.mode = mode as PermissionMode;
    this.#lines.system('status', { status: null, permissionMode: this.mode });
  }

  /** A tool that is denied entirely is not offered to the model. */
  isRemoved(tool: RuntimeTool): boolean {
    return removingRule(tool, this.#state) !== undefined;
  }

  async decide(question: Question): Promise<Decision> {
    const { tool, input, hook } = question;
    const ruling = decideCall(tool, input, this.#state, hook);
    if (ruling.kind === 'allow') {
      return { kind: 'allow', input, fields: { permission_decision: acceptance(ruling) } };
    }
    if (ruling.kind === 'deny') return this.#refuse(question, ruling, deniedText(tool.name, ruling));
    if (this.mode === 'dontAsk' && ruling.insists !== true) {
      const text = `Permission to use ${tool.name} was denied: nobody is asked in "dontAsk" mode.`;
      return this.#refuse(question, { kind: 'deny', by: 'mode' }, text);
    }
    const { permissionPromptTool, permissionPrompts } = this.#flags;
    if (permissionPromptTool === 'stdio' && permissionPrompts !== 'none')
      return this.#askHost(question, ruling);
    const text =
      ruling.by === 'mode'
        ? `Cannot call ${tool.name} while in plan mode.`
        : `Permission to use ${tool.name} has not been granted.`;
    return this.#refuse(question, ruling, text);
  }

  get #state(): PermissionState {
    return { mode: this.mode, rules: this.book.rules };
  }

  async #askHost(
    { tool, toolUseId, input, hook, signal }: Question,
    ruling: PermissionRuling,
  ): Promise<Decision> {
    const deny = (message: string, source: RejectionSource, interrupt = false): Decision => ({
      kind: 'deny',
      message,
      interrupt,
      fields: rejection('permission-rule', source),
    });
    try {
      const request: CanUseToolRequest = {
        tool_name: tool.name,
        input: structuredClone(input),
        tool_use_id: toolUseId,
        ...(tool.server === undefined ? {} : { mcp_server: tool.server }),
        ...(tool.title === undefined ? {} : { display_name: tool.title.display_name }),
        ...reasonFields(tool.name, ruling, hook),
      };
      const answer: Answer = (await this.#host.ask('can_use_tool', request, { signal })) ?? {};
      const { behavior, message, interrupt, updatedInput, updatedPermissions = [] } = answer;
      const isInput = updatedInput === undefined || isRecord(updatedInput);
      if (behavior === 'allow' && isInput && Array.isArray(updatedPermissions)) {
        // A copy: the host may keep the object, and what was allowed is what runs.
        const replaced = structuredClone(updatedInput);
        for (const update of updatedPermissions) this.book.apply(update);
        const fields: DecisionFields = {
          permission_decision: { decision: 'accept', source: 'user_temporary' },
        };
        return { kind: 'allow', input: replaced ?? input, fields };
      }
      if (behavior === 'deny' && typeof message === 'string') {
        return deny(message, { source: 'user_reject' }, interrupt === true);
      }
      return deny(
        "The host gave no valid permission decision: { behavior: 'allow', updatedInput?: object } or { behavior: 'deny', message: string }.",
        { source: 'config', reason_type: 'other' },
      );
    } catch (error) {
      if (signal.aborted) throw error;
      return deny(`Tool permission request failed: ${messageOf(error)}`, {
        source: 'config',
        reason_type: 'other',
      });
    }
  }

  /** Nobody was asked, so the host is told by a separate line. */
  #refuse({ tool, toolUseId }: Question, { kind, by }: PermissionRuling, message: string): Decision {
    const type = by === 'policy' ? 'rule' : by;
    this.#lines.system('permission_denied', {
      tool_name: tool.name,
      tool_use_id: toolUseId,
      ...(by === 'nothing' ? {} : { decision_reason_type: type }),
      message,
    });
    // A question that reached nobody is reported differently from a denial.
    const fields =
      kind === 'ask'
        ? rejection('user-rejected', { source: 'config' })
        : rejection('permission-rule', { source: 'config', reason_type: type });
    return { kind: 'deny', message, interrupt: false, fields };
  }
}

/** The host's answer, unchecked. */
type Answer = { [Name in keyof Allowed | keyof Denied]?: unknown };
type Allowed = Extract<PermissionResult, { behavior: 'allow' }>;
type Denied = Extract<PermissionResult, { behavior: 'deny' }>;

type RejectionSource = Omit<PermissionDecisionReport, 'decision'>;

function rejection(
  kind: NonNullable<DecisionFields['non_execution_kind']>,
  source: RejectionSource,
): DecisionFields {
  return { non_execution_kind: kind, permission_decision: { decision: 'reject', ...source } };
}

function acceptance({ by, rule }: PermissionRuling): PermissionDecisionReport {
  // A rule that the host added during the conversation is still the user's decision.
  const source = by === 'hook' ? 'hook' : rule?.source === 'session' ? 'user_temporary' : 'config';
  return {
    decision: 'accept',
    source,
    ...(by === 'tool' ? {} : { reason_type: by === 'policy' ? 'rule' : by }),
  };
}

function deniedText(name: string, { rule }: PermissionRuling): string {
  return rule === undefined
    ? `Permission to use ${name} is denied by the policy of its server.`
    : `Permission to use ${name} is denied by the rule "${rule.rule.text}".`;
}

/**
 * Why the host is asked; if no rule or hook concerns the tool, suggests a rule that avoids the next
 * question.
 */
function reasonFields(
  toolName: string,
  { by, rule }: PermissionRuling,
  { ask }: HookOpinion,
): Partial<CanUseToolRequest> {
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
  if (by === 'mode') return {};
  return {
    permission_suggestions: [
      { type: 'addRules', rules: [{ toolName }], behavior: 'allow', destination: 'session' },
    ],
  };
}

import { ControlFault } from '../protocol/control-channel.js';
import type { CanUseToolRequest } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import {
  decideCall,
  type HookOpinion,
  type PermissionRuling,
  type PermissionState,
  removingRule,
} from '../protocol/permission-decision.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { RuntimeFlags } from './flags.js';
import type { Host } from './host.js';
import type { Lines } from './lines.js';
import { RuleBook } from './rule-book.js';
import type { RuntimeTool } from './tools/tool-port.js';

/** `permission_decision` and `non_execution_kind` of the line that shows the result. */
export type DecisionFields = Record<string, unknown>;

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

/** Who may do what: rules first, then the mode, then the host. What nobody allows is denied. */
export class Permissions {
  mode: PermissionMode;
  readonly book: RuleBook;
  readonly #flags: RuntimeFlags;
  readonly #host: Host;
  readonly #lines: Lines;

  constructor(flags: RuntimeFlags, host: Host, lines: Lines, warn: (text: string) => void) {
    this.#flags = flags;
    this.#host = host;
    this.#lines = lines;
    this.mode = flags.permissionMode;
    this.book = new RuleBook({ setMode: (mode) => this.setMode(mode), warn });
    this.book.add('allow', flags.allowedTools, 'cliArg');
    this.book.add('deny', flags.disallowedTools, 'cliArg');
    this.book.addDirectories(flags.addDirectories, 'cliArg');
    if (this.mode === 'auto') {
      this.mode = 'default';
      warn('permissionMode "auto" needs the safety check of the Claude Code CLI: here it is "default".');
    }
  }

  /** Throws for what is no mode, and for one without any questions when the conversation was not started to have it. */
  setMode(mode: unknown): void {
    if (!MODES.has(mode)) throw new ControlFault('invalid_mode', `Invalid permission mode: ${mode}`);
    const { allowBypass, permissionMode } = this.#flags;
    if (mode === 'bypassPermissions' && !allowBypass && permissionMode !== 'bypassPermissions') {
      throw new ControlFault(
        'bypass_not_launched',
        'Cannot set permission mode to bypassPermissions: the conversation was not started with allowDangerouslySkipPermissions.',
      );
    }
    this.mode = mode as PermissionMode;
    this.#lines.system('status', { status: null, permissionMode: mode });
  }

  /** A tool that is denied as a whole is not even offered to the model. */
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
    const deny = (message: string, source: object, interrupt = false): Decision => ({
      kind: 'deny',
      message,
      interrupt,
      fields: rejection('permission-rule', source),
    });
    try {
      const request: CanUseToolRequest = {
        tool_name: tool.name,
        input,
        tool_use_id: toolUseId,
        ...(tool.server === undefined ? {} : { mcp_server: tool.server }),
        ...(tool.title === undefined ? {} : { display_name: tool.title.display_name }),
        ...reasonFields(tool.name, ruling, hook),
      };
      const answer: unknown = await this.#host.ask('can_use_tool', request, { signal });
      const { behavior, message, interrupt, updatedInput, updatedPermissions } = (answer ?? {}) as Answer;
      const isInput =
        updatedInput === undefined || (typeof updatedInput === 'object' && updatedInput !== null);
      if (behavior === 'allow' && isInput) {
        for (const update of updatedPermissions ?? []) this.book.apply(update as never);
        const fields = { permission_decision: { decision: 'accept', source: 'user_temporary' } };
        return { kind: 'allow', input: (updatedInput as typeof input | undefined) ?? input, fields };
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

  /** Nobody was asked: the host hears of it by a line of its own. */
  #refuse({ tool, toolUseId }: Question, { kind, by }: PermissionRuling, message: string): Decision {
    const type = by === 'policy' ? 'rule' : by;
    this.#lines.system('permission_denied', {
      tool_name: tool.name,
      tool_use_id: toolUseId,
      ...(by === 'nothing' ? {} : { decision_reason_type: type }),
      message,
    });
    // A question that reached nobody is told apart from a no.
    const fields =
      kind === 'ask'
        ? rejection('user-rejected', { source: 'config' })
        : rejection('permission-rule', { source: 'config', reason_type: type });
    return { kind: 'deny', message, interrupt: false, fields };
  }
}

type Answer = {
  behavior?: unknown;
  message?: unknown;
  interrupt?: unknown;
  updatedInput?: unknown;
  updatedPermissions?: unknown[] | undefined;
};

function rejection(kind: string, source: object): DecisionFields {
  return { non_execution_kind: kind, permission_decision: { decision: 'reject', ...source } };
}

function acceptance({ by, rule }: PermissionRuling): object {
  // A rule that the host has given while the conversation ran is still its own word.
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

/** Why the host is asked; when nobody has said anything of the tool, a rule is suggested that spares it the next question. */
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

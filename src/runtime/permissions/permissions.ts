import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import {
  decideCall,
  type PermissionState,
  type RuleInForce,
  removingRule,
} from '../../protocol/permissions/permission-decision.js';
import { matchesTool, type RuleKind, type RuleSubject } from '../../protocol/permissions/permission-rules.js';
import type { PermissionMode, PermissionResult } from '../../protocol/permissions/permissions.js';
import type { CanUseToolRequest } from '../../protocol/wire/control-requests.js';
import type { Lines } from '../conversation/lines.js';
import type { Host } from '../host.js';
import type { ConversationSettings } from '../settings/conversation-settings.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { RuntimeTool, ToolAccess } from '../tools/tool-port.js';
import { type AccessRuling, isEverywhere, ruleAccess } from './access-ruling.js';
import { Modes } from './modes.js';
import type { PermittedFiles, WorkspaceParts } from './permitted-files.js';
import type { Decision, Question } from './question.js';
import {
  acceptance,
  type DecisionFields,
  denialReason,
  deniedText,
  type RejectionSource,
  reasonFields,
  refusalFields,
  rejection,
  shownFields,
  ungrantedText,
} from './reports.js';
import { RuleBook } from './rule-book.js';
import { subjectOf, unaskedDenial } from './skill-permission.js';
import { specifierChecks } from './specifier-checks.js';
import { withQuestion } from './user-questions.js';

const READ: RuleSubject = { name: 'Read' };

/** Decides about calls: rules first, then the mode, then the host. What nothing allows is denied. */
export class Permissions {
  mode: PermissionMode;
  readonly book: RuleBook;
  readonly #flags: RuntimeFlags;
  readonly #modes: Modes;
  readonly #host: Host;
  readonly #lines: Lines;
  #files: { readonly permitted: PermittedFiles; readonly root: string } | undefined;

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
    this.#modes = new Modes(flags, settings);
    this.mode = 'default';
    this.book = new RuleBook({ setMode: (mode) => this.setMode(mode), warn }, settings.managedRulesOnly);
    this.book.add('allow', flags.allowedTools, 'cliArg');
    this.book.add('deny', flags.disallowedTools, 'cliArg');
    this.book.addDirectories(flags.addDirectories, 'cliArg');
    for (const { kind, texts, source } of settings.rules) this.book.add(kind, texts, source);
    for (const { paths, source } of settings.directories) this.book.addDirectories(paths, source);
    for (const text of settings.warnings) warn(text);
    this.mode = this.#modes.start(warn);
  }

  /** Throws for an unknown mode, and for `bypassPermissions` unless the conversation was started to permit it. */
  setMode(mode: unknown): void {
    this.mode = this.#modes.checked(mode);
    this.#lines.system('status', { status: null, permissionMode: this.mode });
  }

  /** Questions may be skipped in this conversation. */
  get mayBypass(): boolean {
    return this.#modes.mayBypass;
  }

  /** Begins in another mode than the one of the options. Throws if it is not available. */
  beginIn(mode: PermissionMode): void {
    this.mode = this.#modes.checked(mode);
  }

  /** A tool that is denied entirely is not offered to the model. */
  isRemoved(tool: RuleSubject): boolean {
    return removingRule(tool, this.#state) !== undefined;
  }

  /** Called before the first turn of a conversation that has a workspace. */
  async openFiles(parts: WorkspaceParts): Promise<void> {
    const { PermittedFiles: Files } = await import('./permitted-files.js');
    this.#files = { permitted: new Files(parts, this.book), root: parts.workspace.root };
  }

  /** Whether no rule forbids reading this file, by its path without links. */
  mayRead(real: string): boolean {
    const isRestricted = this.book.rules.some(
      ({ kind, rule }) => kind === 'deny' && /^(Read|Grep|Glob)$/.test(rule.tool),
    );
    return !isRestricted || this.#files?.permitted.mayRead(real) === true;
  }

  /**
   * Whether the user may show the model this file by mentioning it: by the path as written, and by the one without
   * links. Whoever takes the tool Read away does not want files to be read by another way.
   */
  mayMention(path: string, real: string): boolean {
    return !this.isRemoved(READ) && this.mayRead(path) && this.mayRead(real);
  }

  /** Whether the tool Read would read this path without asking anybody. */
  async readsFreely(path: string): Promise<boolean> {
    const subject = READ;
    if (this.#files === undefined || this.isRemoved(subject)) return false;
    if (this.#wholeRule('ask', subject) !== undefined) return false;
    const rule = this.#wholeRule('allow', subject);
    const isAllowed = this.mode === 'bypassPermissions' || (rule !== undefined && isEverywhere(rule));
    return this.#files.permitted.readsFreely(path, this.mode, isAllowed);
  }

  /**
   * Why a call is refused before any hook runs: a rule forbids the very path that it names. Undefined: it is decided
   * like others.
   */
  forbids({ name }: RuntimeTool, access: ToolAccess | undefined): string | undefined {
    if (access?.kind !== 'read' && access?.kind !== 'edit') return undefined;
    if (name === 'Grep' || name === 'Glob' || this.#files === undefined) return undefined;
    return this.#files.permitted.forbids(access.kind, access.path, name)
      ? `A rule forbids to ${access.kind} ${access.path}.`
      : undefined;
  }

  async decide(question: Question): Promise<Decision> {
    const { tool, input, access } = question;
    const ruling = await this.#ruling(question);
    if (ruling.kind === 'allow') {
      return { kind: 'allow', input, access, fields: { permission_decision: acceptance(ruling) } };
    }
    if (question.isUnasked) {
      return unaskedDenial(tool.name, ruling.kind === 'deny' ? deniedText(tool.name, ruling) : undefined);
    }
    if (ruling.kind === 'deny') return this.#refuse(question, ruling, deniedText(tool.name, ruling));
    if (this.#modeFor(question) === 'dontAsk' && ruling.insists !== true) {
      const text = `Permission to use ${tool.name} was denied: nobody is asked in "dontAsk" mode.`;
      return this.#refuse(question, { kind: 'deny', by: 'mode' }, text);
    }
    const { permissionPromptTool, permissionPrompts } = this.#flags;
    if (permissionPromptTool === 'stdio' && permissionPrompts !== 'none') {
      return this.#askHost(question, ruling);
    }
    return this.#refuse(question, ruling, ungrantedText(tool.name, ruling));
  }

  async #ruling(question: Question): Promise<AccessRuling> {
    const { tool, input, access, hook } = question;
    const mode = this.#modeFor(question);
    const isJudged = access?.kind === 'read' || access?.kind === 'edit' || access?.kind === 'command';
    if (isJudged && this.#files !== undefined) {
      const judgement = await this.#files.permitted.judge(access, tool.name, mode);
      const wholeAsk = this.#wholeRule('ask', tool);
      // A rule for all commands allows only what can be known not to be forbidden: that is part of the judgement.
      const wholeAllow = access.kind === 'command' ? undefined : this.#wholeRule('allow', tool);
      return ruleAccess(judgement, { mode, hook, wholeAsk, wholeAllow });
    }
    const checks = await specifierChecks(tool.name);
    const ruling = decideCall(subjectOf(tool, access), input, { ...this.#state, mode }, hook, checks);
    return withQuestion(ruling, access);
  }

  #modeFor({ agent }: Question): PermissionMode {
    return agent?.mode ?? this.mode;
  }

  /** A rule about every call of the tool; the one that reaches furthest. */
  #wholeRule(wanted: RuleKind, subject: Pick<RuntimeTool, 'name'>): RuleInForce | undefined {
    const found = this.book.rules.filter(({ kind, rule }) => {
      if (kind !== wanted || !matchesTool(rule, subject, kind)) return false;
      return rule.problem === undefined ? rule.specifier === undefined : kind !== 'allow';
    });
    return found.find(isEverywhere) ?? found[0];
  }

  get #state(): PermissionState {
    return { mode: this.mode, rules: this.book.rules };
  }

  async #askHost(question: Question, ruling: AccessRuling): Promise<Decision> {
    const { tool, toolUseId, input, hook, signal } = question;
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
        ...(question.agent === undefined ? {} : { agent_id: question.agent.id }),
        ...(tool.server === undefined ? {} : { mcp_server: tool.server }),
        ...(tool.title === undefined ? {} : { display_name: tool.title.display_name }),
        ...shownFields(tool, input, question.access, (path) => this.#shown(path)),
        ...reasonFields(tool.name, ruling, hook, question.access),
      };
      const answer: Answer = (await this.#host.ask('can_use_tool', request, { signal })) ?? {};
      const { behavior, message, interrupt, updatedInput, updatedPermissions = [] } = answer;
      const isInput = updatedInput === undefined || isRecord(updatedInput);
      if (behavior === 'allow' && isInput && Array.isArray(updatedPermissions)) {
        // A copy: the host may keep the object, and what was allowed is what runs.
        const replaced = structuredClone(updatedInput);
        // Before the updates, which are about the calls after this one.
        const decision = await this.#accepted(question, replaced);
        for (const update of updatedPermissions) this.book.apply(update);
        return decision;
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

  /** The host may change the input of a call, but what is forbidden stays so. */
  async #accepted(question: Question, replaced: Record<string, unknown> | undefined): Promise<Decision> {
    const fields: DecisionFields = { permission_decision: { decision: 'accept', source: 'user_temporary' } };
    const { tool } = question;
    if (replaced === undefined) {
      return { kind: 'allow', input: question.input, access: question.access, fields };
    }
    const { problem, access } = await question.prepare(replaced);
    if (problem !== undefined) {
      const reported = rejection('permission-rule', { source: 'config', reason_type: 'other' });
      return { kind: 'deny', message: problem, interrupt: false, fields: reported };
    }
    const ruling = await this.#ruling({ ...question, input: replaced, access });
    return ruling.kind === 'deny'
      ? this.#refuse(question, ruling, deniedText(tool.name, ruling))
      : { kind: 'allow', input: replaced, access, fields };
  }

  /** Nobody was asked, so the host is told by a separate line. */
  #refuse({ tool, toolUseId, agent }: Question, ruling: AccessRuling, message: string): Decision {
    const reason = denialReason(ruling);
    this.#lines.system('permission_denied', {
      tool_name: tool.name,
      tool_use_id: toolUseId,
      ...(agent === undefined ? {} : { agent_id: agent.id }),
      ...reason,
      message,
    });
    const fields = refusalFields(ruling, reason.decision_reason_type);
    return { kind: 'deny', message, interrupt: false, fields };
  }

  #shown(path: string): string {
    const root = this.#files?.root ?? '/';
    return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  }
}

/** The host's answer, unchecked. */
type Answer = Partial<Record<keyof Allowed | keyof Denied, unknown>>;
type Allowed = Extract<PermissionResult, { behavior: 'allow' }>;
type Denied = Extract<PermissionResult, { behavior: 'deny' }>;

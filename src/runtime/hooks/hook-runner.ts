import type { CommandHook } from '../../config/settings/hook-settings.js';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { ControlFault } from '../../protocol/channel/control-channel.js';
import type { SDKHookCallbackMatcher } from '../../protocol/wire/control-requests.js';
import { hookAnswer } from '../../protocol/wire/hook-answers.js';
import { hookMatcherProblem, matchesHook } from '../../protocol/wire/hook-matcher.js';
import type {
  BaseHookInput,
  HookEvent,
  HookInput,
  HookJSONOutput,
  SyncHookJSONOutput,
} from '../../protocol/wire/hooks.js';
import type { Lines } from '../conversation/lines.js';
import type { Host } from '../host.js';
import { type CommandHooks, HookComplaint } from './command-hooks.js';
import { type HookCall, labelOf } from './hook-call.js';
import { shownCommand } from './hook-lines.js';

/** What runs the hooks of an event. */
export type Hooks = Pick<HookRunner, 'run'>;

export type HookRegistration = Partial<Record<HookEvent, SDKHookCallbackMatcher[]>>;

/** The combined answer of all hooks of an event. */
export interface HookVerdict {
  /** A tool must not run, or a prompt or the end of a turn is blocked. */
  block: string | undefined;
  /** A tool must not run because a callback did not answer in time. */
  unanswered: string | undefined;
  allow: boolean;
  ask: string | undefined;
  /** A tool should not run now: the turn ends, and the decision is made again when it is resumed. */
  defer: boolean;
  updatedInput: Record<string, unknown> | undefined;
  updatedOutput: unknown;
  contexts: string[];
  /** `continue: false`: the turn ends here. */
  stop: string | undefined;
  /** Of SessionStart: what the user says first. */
  initialMessage: string | undefined;
}

/** As in the CLI, events of the conversation as a whole do not tell the permission mode. */
const WITHOUT_MODE: ReadonlySet<HookEvent> = new Set([
  'SessionStart',
  'SessionEnd',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
]);

/**
 * Calls the hooks of the host and of the settings. Before a tool, one that fails or times out counts as a
 * denial, unless the host has said `onFailure: 'continue'`.
 */
export class HookRunner {
  readonly #host: Host;
  readonly #lines: Lines;
  readonly #commands: CommandHooks;
  readonly #base: () => BaseHookInput;
  #registration: HookRegistration = {};

  constructor(host: Host, lines: Lines, commands: CommandHooks, base: () => BaseHookInput) {
    this.#host = host;
    this.#lines = lines;
    this.#commands = commands;
    this.#base = base;
  }

  get registration(): HookRegistration {
    return this.#registration;
  }

  /** Throws for a matcher that could never match, because its hook would never be called. */
  register(hooks: HookRegistration): void {
    for (const [event, matchers] of Object.entries(hooks)) {
      const problem = matchers
        .map(({ matcher }) => hookMatcherProblem(matcher))
        .find((each) => each !== undefined);
      if (problem !== undefined) throw new ControlFault('invalid_hook', `hooks.${event}: ${problem}.`);
    }
    this.#registration = hooks;
  }

  /** Ends the running commands. */
  close(): Promise<void> {
    return this.#commands.close();
  }

  async run(call: HookCall): Promise<HookVerdict> {
    const verdict: HookVerdict = {
      block: undefined,
      unanswered: undefined,
      allow: false,
      ask: undefined,
      defer: false,
      updatedInput: undefined,
      updatedOutput: undefined,
      contexts: [],
      stop: undefined,
      initialMessage: undefined,
    };
    const matchers = (this.#registration[call.event] ?? []).filter(({ matcher }) =>
      matchesHook(matcher, call.subject),
    );
    const meant = await this.#commands.matching(call);
    const callbacks = matchers.flatMap((matcher) =>
      matcher.hookCallbackIds.map(async (id) => ({
        onFailure: matcher.onFailure,
        answer: await answerInTime(call, matcher.timeout, (signal) => this.#ask(id, call, signal)),
      })),
    );
    const commands = meant.map(async (hook) => ({
      onFailure: undefined,
      answer: await this.#run(hook, call),
    }));
    for (const { onFailure, answer } of await Promise.all([...callbacks, ...commands])) {
      if (answer instanceof Error) this.#failed(verdict, answer, onFailure, call);
      else this.#take(verdict, answer, call);
    }
    return verdict;
  }

  async #run(hook: CommandHook, call: HookCall): Promise<HookJSONOutput | Error> {
    const shown = shownCommand(this.#lines, call);
    const answer = await answerInTime(call, hook.timeout, (signal) =>
      this.#commands.call(hook, this.#input(call), signal, shown?.ended),
    );
    shown?.ended(undefined);
    return answer;
  }

  #input({ event, fields, agent }: HookCall): HookInput {
    const { permission_mode, ...base } = this.#base();
    const mode = WITHOUT_MODE.has(event) ? {} : { permission_mode };
    return { ...base, ...mode, ...agent, hook_event_name: event, ...fields } as HookInput;
  }

  async #ask(callbackId: string, call: HookCall, signal: AbortSignal): Promise<HookJSONOutput> {
    const answer: unknown = await this.#host.ask(
      'hook_callback',
      {
        callback_id: callbackId,
        // A copy for each: a host in the same process could change what another hook sees, or what runs.
        input: structuredClone(this.#input(call)),
        tool_use_id: call.toolUseId ?? clock.uuid(),
      },
      { signal },
    );
    return structuredClone(hookAnswer(call.event, answer));
  }

  #failed(
    verdict: HookVerdict,
    error: Error,
    onFailure: SDKHookCallbackMatcher['onFailure'],
    call: HookCall,
  ): void {
    // An interrupt is not a failure of the hook; the caller sees it by the signal.
    if (call.signal?.aborted) return;
    if (error instanceof LateAnswerError && call.event === 'PreToolUse') {
      verdict.unanswered ??= `PreToolUse hook did not respond within ${error.seconds} s, so the tool was not called.`;
      return;
    }
    const content = `${call.event} hook failed: ${error.message}`;
    const decides = !(error instanceof HookComplaint);
    const isGuard = call.event === 'PreToolUse' ? onFailure !== 'continue' : onFailure === 'block';
    if (decides && isGuard) verdict.block ??= content;
    this.#lines.system('informational', { content, level: 'warning', tag: 'hook_callback_failed' });
  }

  #take(verdict: HookVerdict, answer: HookJSONOutput, call: HookCall): void {
    if ('async' in answer && answer.async === true) return;
    const output = answer as SyncHookJSONOutput;
    const specific: Record<string, unknown> = isRecord(output.hookSpecificOutput)
      ? output.hookSpecificOutput
      : {};
    const label = labelOf(call);
    if (typeof output.systemMessage === 'string') {
      const content = `${label} says: ${output.systemMessage}`;
      this.#lines.system('informational', { content, level: 'notice' });
    }
    if (output.continue === false) verdict.stop ??= textOr(output.stopReason, 'stopped by a hook');
    if (output.decision === 'block') verdict.block ??= textOr(output.reason, 'blocked by a hook');
    if (call.event === 'PreToolUse') takeDecision(verdict, output, specific);
    if (call.event === 'SessionStart' && typeof specific.initialUserMessage === 'string') {
      verdict.initialMessage ??= specific.initialUserMessage;
    }
    if (isRecord(specific.updatedInput)) verdict.updatedInput = specific.updatedInput;
    verdict.updatedOutput ??= specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
    if (typeof specific.additionalContext === 'string') {
      verdict.contexts.push(`${label} hook additional context: ${specific.additionalContext}`);
    }
  }
}

/** The answer, or why there is none. A hook that is late is also cancelled by its signal. */
async function answerInTime(
  call: HookCall,
  seconds = LIMITS.hookMs / 1000,
  ask: (signal: AbortSignal) => Promise<HookJSONOutput>,
): Promise<HookJSONOutput | Error> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), seconds * 1000);
  try {
    return await ask(call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal]));
  } catch (error) {
    if (late.signal.aborted) return new LateAnswerError(seconds);
    return error instanceof Error ? error : new Error(messageOf(error));
  } finally {
    clock.clearTimeout(timer);
  }
}

class LateAnswerError extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
    this.seconds = seconds;
  }
}

/**
 * Only collects: the caller lets a denial take precedence over deferring, asking and allowing, in this
 * order.
 */
function takeDecision(
  verdict: HookVerdict,
  { decision, reason: hookReason }: SyncHookJSONOutput,
  { permissionDecision, permissionDecisionReason }: Record<string, unknown>,
): void {
  const reason = textOr(permissionDecisionReason, textOr(hookReason, ''));
  if (permissionDecision === 'deny') verdict.block ??= reason === '' ? 'denied by a hook' : reason;
  if (permissionDecision === 'ask') verdict.ask ??= reason;
  if (permissionDecision === 'defer') verdict.defer = true;
  if (permissionDecision === 'allow' || decision === 'approve') verdict.allow = true;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

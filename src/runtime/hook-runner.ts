import { randomUUID } from 'node:crypto';
import type { SDKHookCallbackMatcher } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import type { HookEvent, HookInput, HookJSONOutput, SyncHookJSONOutput } from '../protocol/hooks.js';
import { isRecord } from '../protocol/kinds.js';
import type { Host } from './host.js';
import type { Lines } from './lines.js';

export type HookRegistration = Partial<Record<HookEvent, SDKHookCallbackMatcher[]>>;

/** Those that the runtime calls. */
export const RUNTIME_HOOKS: readonly HookEvent[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionEnd',
];

/** What all callbacks of an event said together. */
export interface HookVerdict {
  /** A tool must not run, or a prompt or the end of a turn is blocked. */
  block: string | undefined;
  /** A tool must not run because a callback did not say in time whether it may. */
  unanswered: string | undefined;
  allow: boolean;
  ask: string | undefined;
  /** A tool is not to run now: the turn ends, and whoever goes on decides anew. */
  defer: boolean;
  updatedInput: Record<string, unknown> | undefined;
  updatedOutput: unknown;
  contexts: string[];
  /** `continue: false`: the turn ends here. */
  stop: string | undefined;
}

/** A callback gets ten minutes when its matcher says nothing: a person may be behind it. */
const DEFAULT_TIMEOUT_S = 600;

export interface HookCall {
  event: HookEvent;
  /** What the matcher is held against: a tool's name. */
  subject?: string;
  fields: Record<string, unknown>;
  toolUseId?: string;
  signal?: AbortSignal;
}

/** Calls the host's hooks. Before a tool, a callback that fails or is late counts as a no: fail closed. */
export class HookRunner {
  readonly #host: Host;
  readonly #lines: Lines;
  readonly #base: () => Record<string, unknown>;
  #registration: HookRegistration = {};

  constructor(host: Host, lines: Lines, base: () => Record<string, unknown>) {
    this.#host = host;
    this.#lines = lines;
    this.#base = base;
  }

  get registration(): HookRegistration {
    return this.#registration;
  }

  register(hooks: HookRegistration): void {
    this.#registration = hooks;
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
    };
    const matchers = (this.#registration[call.event] ?? []).filter(({ matcher }) =>
      matches(matcher, call.subject),
    );
    const answers = matchers.flatMap((matcher) =>
      matcher.hookCallbackIds.map(async (id) => ({ matcher, answer: await this.#call(id, matcher, call) })),
    );
    for (const { matcher, answer } of await Promise.all(answers)) {
      if (answer instanceof Error) this.#failed(verdict, answer, matcher, call);
      else this.#take(verdict, answer, call);
    }
    return verdict;
  }

  async #call(
    callbackId: string,
    matcher: SDKHookCallbackMatcher,
    call: HookCall,
  ): Promise<HookJSONOutput | Error> {
    const input = { ...this.#base(), hook_event_name: call.event, ...call.fields } as unknown as HookInput;
    const seconds = matcher.timeout ?? DEFAULT_TIMEOUT_S;
    // The request is withdrawn, not only given up: the callback's own signal tells it that nobody waits any more.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), seconds * 1000);
    try {
      const answer = await this.#host.ask(
        'hook_callback',
        { callback_id: callbackId, input, tool_use_id: call.toolUseId ?? randomUUID() },
        { signal: call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal]) },
      );
      return answer ?? {};
    } catch (error) {
      if (late.signal.aborted) return new LateAnswerError(seconds);
      return error instanceof Error ? error : new Error(messageOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(verdict: HookVerdict, error: Error, matcher: SDKHookCallbackMatcher, call: HookCall): void {
    // An interrupt is no failure of the hook; whoever called sees it by the signal.
    if (call.signal?.aborted) return;
    if (error instanceof LateAnswerError && call.event === 'PreToolUse') {
      verdict.unanswered ??= `PreToolUse hook did not respond within ${error.seconds} s, so the tool was not called.`;
      return;
    }
    const said = `${call.event} hook failed: ${error.message}`;
    if (call.event === 'PreToolUse' || matcher.onFailure === 'block') verdict.block ??= said;
    this.#lines.system('informational', { content: said, level: 'warning', tag: 'hook_callback_failed' });
  }

  #take(verdict: HookVerdict, answer: HookJSONOutput, call: HookCall): void {
    if ('async' in answer && answer.async === true) return;
    const output = answer as SyncHookJSONOutput;
    const specific = (output.hookSpecificOutput ?? {}) as Record<string, unknown>;
    const label = labelOf(call);
    if (output.systemMessage !== undefined) {
      const content = `${label} says: ${output.systemMessage}`;
      this.#lines.system('informational', { content, level: 'notice' });
    }
    if (output.continue === false) verdict.stop ??= output.stopReason ?? 'stopped by a hook';
    if (output.decision === 'block') verdict.block ??= output.reason ?? 'blocked by a hook';
    if (call.event === 'PreToolUse') takeDecision(verdict, output, specific);
    if (isRecord(specific.updatedInput)) verdict.updatedInput = specific.updatedInput;
    verdict.updatedOutput ??= specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
    if (typeof specific.additionalContext === 'string') {
      verdict.contexts.push(`${label} hook additional context: ${specific.additionalContext}`);
    }
  }
}

class LateAnswerError extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
    this.seconds = seconds;
  }
}

/** A no is stronger than everything, "later" than a question, a question than a yes: that is for the reader to see to. */
function takeDecision(
  verdict: HookVerdict,
  { decision, reason: said }: SyncHookJSONOutput,
  { permissionDecision, permissionDecisionReason }: Record<string, unknown>,
): void {
  const reason = String(permissionDecisionReason ?? said ?? '');
  if (permissionDecision === 'deny') verdict.block ??= reason === '' ? 'denied by a hook' : reason;
  if (permissionDecision === 'ask') verdict.ask ??= reason;
  if (permissionDecision === 'defer') verdict.defer = true;
  if (permissionDecision === 'allow' || decision === 'approve') verdict.allow = true;
}

/** The event, and the tool where it is about one. */
export function labelOf({ event, subject }: Pick<HookCall, 'event' | 'subject'>): string {
  return subject === undefined ? event : `${event}:${subject}`;
}

function matches(matcher: string | undefined, subject: string | undefined): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*' || subject === undefined) return true;
  try {
    return new RegExp(`^(?:${matcher})$`).test(subject);
  } catch {
    return matcher === subject;
  }
}

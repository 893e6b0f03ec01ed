import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ExitReason } from '../../protocol/wire/hook-inputs.js';
import type { PromptSubmitOutcome } from '../conversation/written-lines.js';
import type { KnownPrompt } from '../knowledge/prompts.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { ModelChoice } from '../turn/model-choice.js';
import type { HookFields } from './hook-call.js';
import type { HookRunner, HookVerdict } from './hook-runner.js';

/** What the host is told about a prompt that is not answered. */
export interface RefusedPrompt {
  content: string;
  prompt_submit_outcome: PromptSubmitOutcome;
}

/** How hooks are told where a command comes from. */
const SOURCES: Partial<Record<KnownPrompt['source'], string>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  plugin: 'plugin',
};

/** The hooks around prompts: before the first one, before each, and after the last. */
export class PromptHooks {
  readonly #hooks: HookRunner;
  readonly #flags: RuntimeFlags;
  readonly #model: ModelChoice;
  #hasBegun = false;
  #hasEnded = false;
  #waiting: string[] = [];

  constructor(hooks: HookRunner, flags: RuntimeFlags, model: ModelChoice) {
    this.#hooks = hooks;
    this.#flags = flags;
    this.#model = model;
  }

  /**
   * Before the first prompt: a message of a hook that is to have a turn of its own. What else it adds is told with that.
   */
  async initialMessage(signal: AbortSignal): Promise<string | undefined> {
    if (this.#hasBegun) return undefined;
    const { contexts, initialMessage } = await this.#begin(signal);
    this.#waiting = contexts;
    return initialMessage;
  }

  /** The same for a turn that goes on without a prompt. */
  async goneOn(signal: AbortSignal): Promise<{ contexts: string[]; refusal: undefined }> {
    return { contexts: await this.#begun(signal), refusal: undefined };
  }

  /** What hooks add to the prompt, and whether the model may read it at all. */
  async submitted(
    prompt: string,
    signal: AbortSignal,
  ): Promise<{ contexts: string[]; refusal: RefusedPrompt | undefined }> {
    const begun = await this.#begun(signal);
    const verdict = await this.#hooks.run({ event: 'UserPromptSubmit', fields: { prompt }, signal });
    const contexts = [...begun, ...verdict.contexts];
    if (verdict.stop !== undefined) return { contexts, refusal: stoppedPrompt(verdict.stop) };
    const refusal = verdict.block === undefined ? undefined : blockedPrompt(verdict.block, prompt);
    return { contexts, refusal };
  }

  /** Why a skill or command must not be filled in, or undefined. What hooks add goes with the prompt's own. */
  async expanded(
    { name, source }: KnownPrompt,
    args: string,
    prompt: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const command_source = SOURCES[source];
    const fields = {
      expansion_type: 'slash_command' as const,
      command_name: name,
      command_args: args,
      ...(command_source === undefined ? {} : { command_source }),
      prompt,
    };
    const verdict = await this.#hooks.run({ event: 'UserPromptExpansion', subject: name, fields, signal });
    const reason = verdict.block ?? verdict.stop;
    return reason === undefined
      ? undefined
      : `UserPromptExpansion operation blocked by hook:\n${reason}\n\nOriginal prompt: ${prompt}`;
  }

  /** The session ends because another begins in its place. */
  async cleared(signal: AbortSignal): Promise<void> {
    // Also where nothing was said yet: hooks hear of no end without a beginning.
    await this.#begun(signal);
    await this.#endedBy('clear');
  }

  /** What hooks add to a session that was begun anew is told with its first prompt. */
  async begunAnew(signal: AbortSignal): Promise<void> {
    const source = 'clear';
    const fields = { source, model: this.#model.name } as const;
    this.#waiting = (
      await this.#hooks.run({ event: 'SessionStart', subject: source, fields, signal })
    ).contexts;
  }

  /** Runs the hooks once, and only if a session has started. */
  async ended(isHostGone: boolean, limitMs: number = LIMITS.sessionEndMs): Promise<void> {
    if (!this.#hasBegun || this.#hasEnded) return;
    this.#hasEnded = true;
    if (isHostGone) this.#hooks.register({});
    await this.#endedBy('other', limitMs);
  }

  async #endedBy(reason: ExitReason, limitMs: number = LIMITS.sessionEndMs): Promise<void> {
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), limitMs);
    const { signal } = late;
    await this.#hooks.run({ event: 'SessionEnd', subject: reason, fields: { reason }, signal });
    clock.clearTimeout(timer);
  }

  async #begun(signal: AbortSignal): Promise<string[]> {
    return this.#hasBegun ? this.#waiting.splice(0) : (await this.#begin(signal)).contexts;
  }

  async #begin(signal: AbortSignal): Promise<HookVerdict> {
    this.#hasBegun = true;
    const { resume, continue: isContinued } = this.#flags;
    const source: HookFields<'SessionStart'>['source'] =
      resume !== undefined || isContinued ? 'resume' : 'startup';
    const fields = { source, model: this.#model.name };
    return this.#hooks.run({ event: 'SessionStart', subject: source, fields, signal });
  }
}

/** The model never sees the prompt. */
function blockedPrompt(reason: string, prompt: string): RefusedPrompt {
  return {
    content: `UserPromptSubmit operation blocked by hook:\n${reason}\n\nOriginal prompt: ${prompt}`,
    prompt_submit_outcome: { kind: 'blocked_by_hook', prompt_kept: false, reason },
  };
}

/** The prompt stays in the conversation, but is not answered. */
function stoppedPrompt(reason: string): RefusedPrompt {
  return {
    content: `Operation stopped by hook: ${reason}`,
    prompt_submit_outcome: { kind: 'stopped_by_hook', prompt_kept: true, reason },
  };
}

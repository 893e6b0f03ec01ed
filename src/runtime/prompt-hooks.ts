import type { RuntimeFlags } from './flags.js';
import type { HookRunner } from './hook-runner.js';
import type { ModelChoice } from './model-choice.js';

/** What the host reads of a prompt that is not answered. */
export interface RefusedPrompt {
  content: string;
  prompt_submit_outcome: { kind: string; prompt_kept: boolean; reason: string };
}

/** The hooks around prompts: before the first one, before each, and after the last. */
export class PromptHooks {
  readonly #hooks: HookRunner;
  readonly #flags: RuntimeFlags;
  readonly #model: ModelChoice;
  #hasBegun = false;
  #hasEnded = false;

  constructor(hooks: HookRunner, flags: RuntimeFlags, model: ModelChoice) {
    this.#hooks = hooks;
    this.#flags = flags;
    this.#model = model;
  }

  /** What hooks want the model to know beside the prompt, and whether it may read it at all. */
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

  /** Once, and only where something has begun. */
  async ended(): Promise<void> {
    if (!this.#hasBegun || this.#hasEnded) return;
    this.#hasEnded = true;
    const reason = 'other';
    await this.#hooks.run({ event: 'SessionEnd', subject: reason, fields: { reason } });
  }

  async #begun(signal: AbortSignal): Promise<string[]> {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { resume, continue: goesOn } = this.#flags;
    const source = resume !== undefined || goesOn ? 'resume' : 'startup';
    const fields = { source, model: this.#model.name };
    return (await this.#hooks.run({ event: 'SessionStart', subject: source, fields, signal })).contexts;
  }
}

/** The model never hears of it. */
function blockedPrompt(reason: string, prompt: string): RefusedPrompt {
  return {
    content: `UserPromptSubmit operation blocked by hook:\n${reason}\n\nOriginal prompt: ${prompt}`,
    prompt_submit_outcome: { kind: 'blocked_by_hook', prompt_kept: false, reason },
  };
}

/** It stays in the conversation, but is not answered. */
function stoppedPrompt(reason: string): RefusedPrompt {
  return {
    content: `Operation stopped by hook: ${reason}`,
    prompt_submit_outcome: { kind: 'stopped_by_hook', prompt_kept: true, reason },
  };
}

import type { RuntimeFlags } from './flags.js';
import type { Lines } from './lines.js';
import type { Model, ModelError, ModelRequest, ModelThinking } from './model.js';

type Parameters = Pick<ModelRequest, 'model' | 'max_tokens' | 'thinking' | 'output_config' | 'betas'>;

/** Which model is asked, and how it is to think. */
export class ModelChoice {
  /** The one that the conversation is held with. */
  name: string;
  /** Set while the conversation runs; null: as it was begun. */
  thinkingTokens: number | null = null;
  readonly #model: Model;
  readonly #flags: RuntimeFlags;
  readonly #maxTokens: number;
  readonly #lines: Lines;
  #reserve: string[] = [];
  #substitute: string | undefined;

  constructor(model: Model, flags: RuntimeFlags, maxTokens: number, lines: Lines) {
    this.#model = model;
    this.name = flags.model ?? model.name;
    this.#flags = flags;
    this.#maxTokens = maxTokens;
    this.#lines = lines;
  }

  /** The first choice again: what was overloaded for one prompt need not be for the next. */
  beginTurn(): void {
    this.#substitute = undefined;
    this.#reserve = this.fallbacks;
  }

  get fallbacks(): string[] {
    return (this.#flags.fallbackModel ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && name !== this.name);
  }

  get effort(): string | undefined {
    return this.#flags.effort;
  }

  get fullName(): string {
    return this.#model.resolve?.(this.name) ?? this.name;
  }

  get current(): string {
    return this.#substitute ?? this.name;
  }

  get hasFallback(): boolean {
    return this.#reserve.length > 0;
  }

  /** For the rest of the turn; false when there is no other model. */
  fallBack({ status, message }: ModelError): boolean {
    const next = this.#reserve.shift();
    if (next === undefined) return false;
    this.#lines.system('model_fallback', {
      trigger: status === 529 ? 'overloaded' : status === 404 ? 'model_not_found' : 'server_error',
      original_model: this.current,
      fallback_model: next,
      content: `Switched from ${this.current} to ${next}: ${message}`,
    });
    this.#substitute = next;
    return true;
  }

  parameters(): Parameters {
    const { effort, betas } = this.#flags;
    const thinking = this.#thinking();
    // The answer comes on top of the thoughts.
    const thoughts = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
    return {
      model: this.current,
      max_tokens: this.#maxTokens + (thoughts < this.#maxTokens ? 0 : thoughts),
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
      ...(betas.length === 0 ? {} : { betas }),
    };
  }

  #thinking(): ModelThinking | undefined {
    const { thinking, thinkingDisplay, maxThinkingTokens } = this.#flags;
    const display = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
    const tokens = this.thinkingTokens ?? maxThinkingTokens;
    if (thinking === 'disabled' || tokens === 0) return { type: 'disabled' };
    if (tokens !== undefined) return { type: 'enabled', budget_tokens: tokens, ...display };
    return thinking === 'adaptive' ? { type: 'adaptive', ...display } : undefined;
  }
}

import type { ModelPolicy } from '../../config/settings/model-policy.js';
import { messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import type { Lines } from '../conversation/lines.js';
import type { Model, ModelError, ModelRequest, ModelThinking } from '../model.js';
import type { RuntimeFlags } from '../start/flags.js';

type Parameters = Pick<ModelRequest, 'model' | 'max_tokens' | 'thinking' | 'output_config' | 'betas'>;

/** Which model is asked, and how it should think. */
export class ModelChoice {
  /** Changed during the conversation; null: as it was started. */
  thinkingTokens: number | null = null;
  readonly #model: Model;
  readonly #flags: RuntimeFlags;
  readonly #maxTokens: number;
  readonly #lines: Lines;
  readonly #problem: ModelPolicy;
  #name: string;
  #reserve: string[] = [];
  #substitute: string | undefined;
  /** What the running turn asked for. */
  #forTurn: string | undefined;

  /** Throws if the settings forbid the model. */
  constructor(model: Model, flags: RuntimeFlags, maxTokens: number, lines: Lines, problem: ModelPolicy) {
    this.#model = model;
    this.#flags = flags;
    this.#maxTokens = maxTokens;
    this.#lines = lines;
    this.#problem = problem;
    this.#name = this.#permitted(flags.model ?? model.name);
  }

  /** The selected model, apart from fallbacks. */
  get name(): string {
    return this.#name;
  }

  /** Throws if the settings forbid it. */
  set name(name: string) {
    this.#name = this.#permitted(name);
  }

  /** Back to the first choice: a model that was overloaded for one prompt may be available for the next. */
  beginTurn(): void {
    this.#substitute = undefined;
    this.#forTurn = undefined;
    this.#reserve = this.fallbacks;
  }

  /** Another model for the rest of the turn. Returns why not, if the settings or the runtime do not have it. */
  useForTurn(name: string): string | undefined {
    try {
      this.#forTurn = this.#permitted(name);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  fullNameOf(name: string): string {
    return this.#model.resolve?.(name) ?? name;
  }

  get fallbacks(): string[] {
    return (this.#flags.fallbackModel ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(
        (name) =>
          name !== '' &&
          name !== this.name &&
          this.#problemWith(name) === undefined &&
          this.#model.accepts?.(name) !== false,
      );
  }

  get effort(): string | undefined {
    return this.#flags.effort;
  }

  get fullName(): string {
    return this.fullNameOf(this.name);
  }

  get current(): string {
    return this.#substitute ?? this.#forTurn ?? this.name;
  }

  get hasFallback(): boolean {
    return this.#reserve.length > 0;
  }

  /** Switches for the rest of the turn; false if there is no other model. */
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
    // The answer needs tokens in addition to the thinking.
    const thoughts = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
    return {
      model: this.current,
      max_tokens: this.#maxTokens + (thoughts < this.#maxTokens ? 0 : thoughts),
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
      ...(betas.length === 0 ? {} : { betas }),
    };
  }

  #permitted(name: string): string {
    const problem = this.#problemWith(name);
    if (problem !== undefined) throw new TenonError('INVALID_SETTINGS', problem);
    if (this.#model.accepts?.(name) === false) {
      throw new OptionError(
        'model',
        name,
        `The model of this runtime does not know the name "${name}". Leave \`model\` out for ${this.#model.name}, or give the other model to the runtime too.`,
      );
    }
    return name;
  }

  /** A short name may refer to a model that is forbidden by its full name. */
  #problemWith(name: string): string | undefined {
    return this.#problem(this.fullNameOf(name));
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

import { OptionError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { checkModel, type Model } from '../model.js';

/** How a conversation is kept within the context window of its model: `embedded({ context })`. */
export interface ContextOptions {
  /**
   * The tokens that the model can hold, its answer included. Default: what the model knows of itself (`Model.window`),
   * what the optional package `@pydantic/genai-prices` has, otherwise 128,000.
   */
  window?: number | undefined;
  /**
   * Room is made when this share of the window, without what the answer may need, is used. Default: 0.8, or all but
   * 33,000 tokens of the window if that is more.
   */
  compactAt?: number | undefined;
  /**
   * How much of the end of the conversation is kept word for word. Default: 20,000 tokens, a third of the room at most.
   * 0: the last answer, and what follows it.
   */
  keepTokens?: number | undefined;
  /**
   * The ways to make room, one after the other until there is enough. Default: `['clearToolResults', 'summarize']`. If
   * none of them helps, the oldest part of the conversation is left out.
   */
  strategy?: readonly ContextStrategy[] | undefined;
}

/** `clearToolResults` takes old results out and asks no model; `summarize` puts a summary in the place of what was said. */
export type ContextStrategy = 'clearToolResults' | 'summarize' | SummaryStrategy;

export interface SummarizeOptions {
  /** Who writes the summary. Default: the model of the conversation, for which most of the request is cached. */
  model?: Model | undefined;
  /** What every summary should pay attention to. */
  instructions?: string | undefined;
}

export interface SummaryStrategy extends SummarizeOptions {
  readonly kind: 'summarize';
}

/** A summary in the place of what was said, with a model or instructions of its own. */
export function summarize(options: SummarizeOptions = {}): SummaryStrategy {
  if (options.model !== undefined) checkModel(options, 'summarize');
  return { kind: 'summarize', ...options };
}

export function checkContext(context: unknown): void {
  if (context === undefined || context === false) return;
  if (!isRecord(context))
    throw problem('', context, 'must be false or an object with `window`, `compactAt`, …');
  const { window, compactAt, keepTokens, strategy, ...others } = context;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw problem(
      `.${unknown}`,
      others[unknown],
      'is not known. Known: window, compactAt, keepTokens, strategy',
    );
  }
  checkNumber('window', window, 1000, Number.MAX_SAFE_INTEGER);
  checkNumber('compactAt', compactAt, 0.1, 1);
  checkNumber('keepTokens', keepTokens, 0, Number.MAX_SAFE_INTEGER);
  if (strategy === undefined) return;
  const isKnown = (step: unknown): boolean =>
    step === 'clearToolResults' || step === 'summarize' || (isRecord(step) && step.kind === 'summarize');
  if (!Array.isArray(strategy) || !strategy.every(isKnown)) {
    throw problem(
      '.strategy',
      strategy,
      "must be a list of 'clearToolResults', 'summarize' and summarize({ … })",
    );
  }
}

function checkNumber(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined || (typeof value === 'number' && value >= least && value <= most)) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
  throw problem(`.${name}`, value, `must be a number ${range}`);
}

function problem(path: string, value: unknown, text: string): OptionError {
  const given = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return new OptionError('context', value, `embedded({ context }): context${path} ${text}; it is ${given}.`);
}

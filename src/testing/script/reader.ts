import { messageOf } from '../../protocol/base/errors.js';
import { describeRequest } from './describe.js';
import { type Player, ScriptError, UnconsumedStepsError, UnexpectedRequestError } from './errors.js';
import { normaliseStep, type ScriptStep } from './normalise-step.js';
import type { ScriptedRequest } from './request.js';
import { StepProblem, show } from './step-problem.js';
import type { Step } from './steps.js';

/**
 * The answers to the requests of a conversation: steps in order, or a function that decides for each request.
 * Subagents work concurrently and in no fixed order, so a test with several of them needs a function.
 */
export type Script =
  | readonly ScriptStep[]
  | ((request: ScriptedRequest, index: number) => ScriptStep | Promise<ScriptStep>);

/** A function that answers a request. */
export type Answerer = Exclude<Script, readonly ScriptStep[]>;

/** Hands out the steps and records what went wrong. */
export class ScriptReader {
  readonly #player: Player;
  readonly #script: readonly Step[] | Answerer;
  readonly #unexpected: ScriptedRequest[] = [];
  readonly #failures: ScriptError[] = [];
  #consumed = 0;

  /** Throws a `ScriptError` that names the first step that cannot be played. */
  constructor(player: Player, script: Script) {
    this.#player = player;
    if (typeof script !== 'function' && !Array.isArray(script)) {
      const remedy = 'pass an array of steps, or a function that returns one for each request';
      throw this.#invalid(`${show(script)} is not a script; ${remedy}`);
    }
    // Array.from also visits holes in the array, which are a mistake too.
    this.#script =
      typeof script === 'function'
        ? script
        : Array.from(script, (step, index) => this.check(step, `step ${index + 1}`));
  }

  /**
   * The step in its normal form. Throws a `ScriptError` that says which step it is and what is wrong with it.
   */
  check(step: unknown, place: string): Step {
    try {
      return normaliseStep(step);
    } catch (error) {
      throw error instanceof StepProblem ? this.#invalid(`${place}: ${error.message}`) : error;
    }
  }

  /** The step for a request. Rejects with a `ScriptError` if there are no steps left, or the script fails. */
  async next(request: ScriptedRequest): Promise<Step> {
    if (typeof this.#script === 'function') return this.ask(this.#script, 'script', request);
    const step = this.#script[this.#consumed];
    if (step === undefined) {
      this.#unexpected.push(request);
      throw new UnexpectedRequestError(this.#player, [request], this.#script.length);
    }
    this.#consumed += 1;
    return step;
  }

  /** Calls a function written by the test's author. */
  async ask(answerer: Answerer, name: string, request: ScriptedRequest): Promise<Step> {
    const { index } = request;
    const place = `the ${name} for request ${index + 1} (${describeRequest(request)})`;
    let step: unknown;
    try {
      step = await answerer(request, index);
    } catch (error) {
      throw this.fail(`${place} threw: ${messageOf(error)}`, error);
    }
    if (step === undefined) throw this.fail(`${place} returned nothing; return a step such as text('…')`);
    try {
      return normaliseStep(step);
    } catch (error) {
      throw this.fail(`${place} returned a bad step: ${messageOf(error)}`);
    }
  }

  /** Records a failure of the author's code for `assertDone`. */
  fail(reason: string, cause?: unknown): ScriptError {
    const options = cause === undefined ? undefined : { cause };
    const failure = new ScriptError('SCRIPT_FAILED', this.#player, reason, options);
    this.#failures.push(failure);
    return failure;
  }

  /** Throws the first problem: a script that failed, too many requests, or unused steps. */
  assertDone(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
    const steps = typeof this.#script === 'function' ? [] : this.#script;
    if (this.#unexpected.length > 0) {
      throw new UnexpectedRequestError(this.#player, this.#unexpected, steps.length);
    }
    const left = steps.slice(this.#consumed);
    if (left.length > 0) throw new UnconsumedStepsError(this.#player, left, this.#consumed);
  }

  #invalid(problem: string): ScriptError {
    return new ScriptError('INVALID_SCRIPT', this.#player, problem);
  }
}

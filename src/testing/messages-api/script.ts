import { messageOf } from '../../protocol/errors.js';
import {
  count,
  describeRequest,
  ScriptedApiError,
  UnconsumedStepsError,
  UnexpectedRequestError,
} from './errors.js';
import type { ScriptedRequest } from './request.js';
import { apiError, type ErrorStep, type Step } from './steps.js';

/**
 * The answers to the requests of a conversation: steps in order, or a function that decides for each request.
 * Subagents work at the same time and in no fixed order, so a test with several of them wants the function.
 */
export type Script = readonly Step[] | ((request: ScriptedRequest, index: number) => Step | Promise<Step>);

/** Hands out the steps and remembers what did not fit. */
export class ScriptReader {
  readonly #script: Script;
  readonly #unexpected: ScriptedRequest[] = [];
  readonly #failures: ScriptedApiError[] = [];
  #consumed = 0;

  constructor(script: Script) {
    this.#script = typeof script === 'function' ? script : [...script];
  }

  /**
   * The step for a main request. Never throws: a script that is at its end or broken gives a 400, so that the
   * client fails soon, with the reason in its own error.
   */
  async next(request: ScriptedRequest): Promise<Step> {
    if (typeof this.#script === 'function') {
      const script = this.#script;
      return this.guard(request, 'script', () => script(request, request.index));
    }
    const step = this.#script[this.#consumed];
    if (step !== undefined) {
      this.#consumed += 1;
      return step;
    }
    this.#unexpected.push(request);
    const size = `the script has ${count(this.#script.length, 'step')}`;
    const reason = `no step left for request ${request.index + 1} (${describeRequest(request)}; ${size})`;
    return apiError(400, 'invalid_request_error', `scripted API: ${reason}`);
  }

  /** Runs a function of the test's author that gives a step. */
  async guard(request: ScriptedRequest, name: string, call: () => Step | Promise<Step>): Promise<Step> {
    let reason: string;
    let cause: unknown;
    try {
      const step: unknown = await call();
      if (isStep(step)) return step;
      reason = `returned ${JSON.stringify(step) ?? String(step)}; return a step such as text('…')`;
    } catch (error) {
      reason = `threw: ${messageOf(error)}`;
      cause = error;
    }
    return this.fail(
      `the ${name} for request ${request.index + 1} (${describeRequest(request)}) ${reason}`,
      cause,
    );
  }

  /** Remembers a failure of the author's code and gives the answer that tells the client. */
  fail(reason: string, cause: unknown): ErrorStep {
    const failure = new ScriptedApiError(
      'SCRIPT_FAILED',
      reason,
      cause === undefined ? undefined : { cause },
    );
    this.#failures.push(failure);
    return apiError(400, 'invalid_request_error', failure.message);
  }

  /** Throws the first thing that is wrong: a broken script, a request too many, a step too many. */
  assertDone(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
    const steps = typeof this.#script === 'function' ? [] : this.#script;
    if (this.#unexpected.length > 0) throw new UnexpectedRequestError(this.#unexpected, steps.length);
    const left = steps.slice(this.#consumed);
    if (left.length > 0) throw new UnconsumedStepsError(left, this.#consumed);
  }
}

function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

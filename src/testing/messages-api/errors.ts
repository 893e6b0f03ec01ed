import type { ScriptedRequest } from './request.js';
import { describeStep, type Step } from './steps.js';

/**
 * What can be wrong with a test that uses the scripted API. A family of its own: these are findings about a test, which
 * no program should have to tell apart from failures of an agent.
 */
export class ScriptedApiError extends Error {
  readonly code: 'UNCONSUMED_STEPS' | 'UNEXPECTED_REQUEST' | 'SCRIPT_FAILED' | 'NO_SUCH_REQUEST';

  constructor(code: ScriptedApiError['code'], message: string, options?: { cause?: unknown }) {
    super(`scripted API: ${message}`, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Steps of the script were never asked for. */
export class UnconsumedStepsError extends ScriptedApiError {
  readonly steps: readonly Step[];

  constructor(steps: readonly Step[], consumed: number) {
    const names = steps.map((step, offset) => `#${consumed + offset + 1} ${describeStep(step)}`);
    super(
      'UNCONSUMED_STEPS',
      `${count(steps.length, 'step')} of the script never asked for: ${names.join('; ')}`,
    );
    this.steps = steps;
  }
}

/** The client asked more often than the script has steps. */
export class UnexpectedRequestError extends ScriptedApiError {
  readonly requests: readonly ScriptedRequest[];

  constructor(requests: readonly ScriptedRequest[], steps: number) {
    // A client that repeats itself after a refusal would fill the screen.
    const shown = requests.slice(0, 3).map((request) => `#${request.index + 1} ${describeRequest(request)}`);
    const names = requests.length > shown.length ? [...shown, '…'] : shown;
    super(
      'UNEXPECTED_REQUEST',
      `${count(requests.length, 'request')} beyond the ${steps} of the script: ${names.join('; ')}`,
    );
    this.requests = requests;
  }
}

/** A short name of a request for messages to people. */
export function describeRequest(request: ScriptedRequest): string {
  const { lastUserText, toolResults } = request;
  const said = lastUserText.length > 80 ? `${lastUserText.slice(0, 80)}…` : lastUserText;
  const results = toolResults.map((result) => result.tool_use_id).join(', ');
  return `last user text ${JSON.stringify(said)}${results === '' ? '' : `, results of ${results}`}`;
}

/** "1 step", "2 steps". */
export function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

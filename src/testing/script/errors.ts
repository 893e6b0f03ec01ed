import { TenonError, type TenonErrorCode } from '../../protocol/base/errors.js';
import { count, describeRequest, describeStep } from './describe.js';
import type { ScriptedRequest } from './request.js';
import type { Step } from './steps.js';

/** What plays the script, as named in errors. */
export type Player = 'scripted API' | 'scripted model';

type ScriptErrorCode = Extract<
  TenonErrorCode,
  'INVALID_SCRIPT' | 'UNCONSUMED_STEPS' | 'UNEXPECTED_REQUEST' | 'SCRIPT_FAILED' | 'NO_SUCH_REQUEST'
>;

/** What can be wrong with a test that uses a script. */
export class ScriptError extends TenonError {
  static override readonly className: string = 'ScriptError';
  declare readonly code: ScriptErrorCode;

  constructor(code: ScriptErrorCode, player: Player, message: string, options?: { cause?: unknown }) {
    super(code, `${player}: ${message}`, options);
  }
}

/** Steps of the script were never used. */
export class UnconsumedStepsError extends ScriptError {
  static override readonly className = 'UnconsumedStepsError';
  readonly steps: readonly Step[];

  constructor(player: Player, steps: readonly Step[], consumed: number) {
    const names = steps.map((step, offset) => `#${consumed + offset + 1} ${describeStep(step)}`);
    const left = steps.length === 1 ? '1 step of the script was' : `${steps.length} steps of the script were`;
    super('UNCONSUMED_STEPS', player, `${left} never used: ${names.join('; ')}`);
    this.steps = steps;
  }
}

/** There were more requests than the script has steps. */
export class UnexpectedRequestError extends ScriptError {
  static override readonly className = 'UnexpectedRequestError';
  readonly requests: readonly ScriptedRequest[];

  constructor(player: Player, requests: readonly ScriptedRequest[], steps: number) {
    const size = `the script has ${count(steps, 'step')}`;
    super('UNEXPECTED_REQUEST', player, `no step left for ${describeRequests(requests)}; ${size})`);
    this.requests = requests;
  }
}

/** Leaves the parenthesis open; the caller closes it. */
function describeRequests(requests: readonly ScriptedRequest[]): string {
  const [first] = requests;
  if (requests.length === 1 && first !== undefined) {
    return `request ${first.index + 1} (${describeRequest(first)}`;
  }
  // A client that keeps retrying would fill the screen.
  const shown = requests.slice(0, 3).map((request) => `#${request.index + 1} ${describeRequest(request)}`);
  const names = requests.length > shown.length ? [...shown, '…'] : shown;
  return `${requests.length} requests (${names.join('; ')}`;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { StreamEvent } from '../../protocol/content.js';
import { TenonError } from '../../protocol/errors.js';
import { type Model, type ModelContext, ModelError, type ModelRequest } from '../../runtime/model.js';
import { deepFreeze } from '../deep-freeze.js';
import { streamEventsOf } from './stream-events.js';

/** A call that the model asks for. */
export interface ScriptedToolUse {
  tool: string;
  input?: Record<string, unknown>;
  id?: string;
}

/** What the model answers: words, calls, thoughts, or a failure. */
export interface ModelStep {
  text?: string;
  thinking?: string;
  toolUses?: readonly ScriptedToolUse[];
  /** In place of an answer. */
  error?: { message: string; status?: number; type?: string };
  /** Before the answer, in milliseconds; ends early when the turn does. */
  delayMs?: number;
  usage?: { input_tokens?: number; output_tokens?: number };
}

/** Steps in order, or a function that answers each request. */
export type ModelScript =
  | readonly (ModelStep | string)[]
  | ((request: ModelRequest, index: number) => ModelStep | string | Promise<ModelStep | string>);

export interface ScriptedModel extends Model {
  /** Every request that was made, frozen, in order. */
  readonly requests: readonly ModelRequest[];
  /** Throws when steps are left over. */
  assertDone(): void;
}

/** The script has no step for a request: the test, or the agent, asks more than was meant. */
export class UnexpectedModelCallError extends TenonError {
  constructor(index: number, steps: number) {
    super('INVALID_OPTION', `scriptedModel: request ${index + 1} came, but the script has ${steps} steps.`);
  }
}

/** Steps were never asked for. */
export class UnconsumedModelStepsError extends TenonError {
  readonly left: number;

  constructor(left: number) {
    super('INVALID_OPTION', `scriptedModel: ${left} of the script's steps were never asked for.`);
    this.left = left;
  }
}

/** A model that says what a script says: for tests of agents, without a network and always the same. */
export function scriptedModel(script: ModelScript, name = 'scripted-model'): ScriptedModel {
  const requests: ModelRequest[] = [];
  let messages = 0;
  let toolUses = 0;
  const stepFor = async (request: ModelRequest, index: number): Promise<ModelStep> => {
    const isFunction = typeof script === 'function';
    const step = isFunction ? await script(request, index) : script[index];
    if (step !== undefined) return typeof step === 'string' ? { text: step } : step;
    if (!isFunction) throw new UnexpectedModelCallError(index, script.length);
    const what = `the script returned nothing for request ${index + 1}; return a text or a step.`;
    throw new TenonError('INVALID_OPTION', `scriptedModel: ${what}`);
  };
  return {
    name,
    requests,
    async *stream(request: ModelRequest, context: ModelContext): AsyncGenerator<StreamEvent, void> {
      const index = requests.length;
      requests.push(deepFreeze(structuredClone(request)));
      const step = await stepFor(request, index);
      if (step.delayMs !== undefined) await wait(step.delayMs, undefined, { signal: context.signal });
      if (step.error !== undefined) throw new ModelError(step.error.message, step.error);
      messages += 1;
      const id = `msg_${String(messages).padStart(4, '0')}`;
      const nextToolUse = (): string => `toolu_${String(++toolUses).padStart(4, '0')}`;
      yield* streamEventsOf(step, id, request.model, nextToolUse);
    },
    assertDone: () => {
      if (typeof script === 'function') return;
      const left = script.length - requests.length;
      if (left > 0) throw new UnconsumedModelStepsError(left);
    },
  };
}

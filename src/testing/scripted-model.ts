import type { StreamEvent } from '../protocol/wire/content.js';
import { type Model, type ModelContext, ModelError, type ModelRequest } from '../runtime/model.js';
import { buildMessage, idSequence } from './script/message.js';
import { playMessage, waitOut } from './script/play.js';
import { type Script, ScriptReader } from './script/reader.js';
import { Recorder, type WaitForRequest } from './script/recorder.js';
import { type MessagesRequestBody, recordRequest, type ScriptedRequest } from './script/request.js';
import type { ErrorStep } from './script/steps.js';

/** A model that plays a script and records its requests. */
export interface ScriptedModel extends Model {
  /** Every request, in order. */
  readonly requests: readonly ScriptedRequest[];
  /**
   * Resolves with the request with this index, or the first that matches, as soon as it arrives. Rejects if
   * it does not arrive within `timeout` (milliseconds, default 15 s).
   */
  readonly waitForRequest: WaitForRequest;
  /**
   * Throws `UnconsumedStepsError` if steps are left, `UnexpectedRequestError` if there were more requests
   * than steps, and another `ScriptError` if the script itself failed. A good last line of a test.
   */
  assertDone(): void;
}

/**
 * A model that answers according to a script, for offline and repeatable tests of agents. Pass it to
 * `embedded({ model })`. Throws a `ScriptError` if the script cannot be played.
 */
export function scriptedModel(script: Script, name = 'scripted-model'): ScriptedModel {
  const reader = new ScriptReader('scripted model', script);
  const recorder = new Recorder('scripted model');
  const ids = idSequence();
  return {
    name,
    requests: recorder.requests,
    async *stream(body: ModelRequest, { signal }: ModelContext): AsyncGenerator<StreamEvent, void> {
      const request = recordRequest(copy(body), {}, recorder.requests.length);
      recorder.add(request);
      const step = await waitOut(await reader.next(request), signal);
      if (step.kind === 'error') throw modelError(step);
      if (step.kind === 'disconnect') throw new ModelError('Connection error.');
      const message = buildMessage(step.kind === 'stall' ? step.step : step, body.model, ids);
      yield* playMessage(message, step, signal);
    },
    waitForRequest: (wanted, { timeout } = {}) => recorder.waitFor(wanted, timeout),
    assertDone: () => reader.assertDone(),
  };
}

/** The runtime's request is one of the Messages API, with stricter types. */
function copy(request: ModelRequest): MessagesRequestBody {
  return structuredClone(request) as object as MessagesRequestBody;
}

function modelError({ message, status, type }: ErrorStep): ModelError {
  return new ModelError(message, status === undefined ? { type } : { status, type });
}

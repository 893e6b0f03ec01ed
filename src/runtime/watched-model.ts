import type { ModelExchange } from '../options/agent-runtime.js';
import { messageOf } from '../protocol/base/errors.js';
import type { ModelFailure } from '../protocol/transport/run-events.js';
import { type Model, ModelError } from './model.js';

interface Outcome {
  error?: ModelFailure;
  stopped?: boolean;
}

/** The model, with every request and every answer told to `observe`. */
export function watchedModel(model: Model, observe: (exchange: ModelExchange) => void): Model {
  let asked = 0;
  return {
    ...factsOf(model),
    async *stream(request, context) {
      asked += 1;
      const id = asked;
      observe({ kind: 'request', id, body: JSON.stringify(request) });
      // As text, at once: whoever gets an event may change it.
      const events: string[] = [];
      let outcome: Outcome = { stopped: true };
      try {
        for await (const event of model.stream(request, context)) {
          events.push(JSON.stringify(event));
          yield event;
        }
        outcome = {};
      } catch (error) {
        outcome = { error: failureOf(error), ...(context.signal.aborted ? { stopped: true } : {}) };
        throw error;
      } finally {
        observe({ kind: 'answer', id, events: `[${events.join(',')}]`, ...outcome });
      }
    },
  };
}

/** One by one, and called on the model itself: it may be an object of a class with private members. */
export function factsOf(model: Model): Omit<Model, 'stream'> {
  return {
    name: model.name,
    prices: model.prices,
    tracesItself: model.tracesItself,
    ...(model.accepts === undefined ? {} : { accepts: (name) => model.accepts?.(name) ?? true }),
    ...(model.resolve === undefined ? {} : { resolve: (name) => model.resolve?.(name) ?? name }),
    ...(model.identify === undefined ? {} : { identify: (name) => model.identify?.(name) }),
    ...(model.window === undefined ? {} : { window: (name) => model.window?.(name) }),
  };
}

function failureOf(error: unknown): ModelFailure {
  if (!(error instanceof ModelError)) return { message: messageOf(error) };
  const { message, status, type } = error;
  return { message, type, ...(status === undefined ? {} : { status }) };
}

import type { AgentStart } from '../options/agent-runtime.js';
import { tracedCalls } from '../options/tracer.js';
import type { Model } from './model.js';
import type { RuntimeConfig } from './start/runtime-config.js';
import { factsOf } from './watched-model.js';

type AgentTrace = NonNullable<AgentStart['trace']>;

/** The configuration, with every call of a tool and every request to the model shown to a tracer. */
export function traced<Config extends RuntimeConfig>(config: Config, trace: AgentTrace): Config {
  return {
    ...config,
    model: tracedModel(config.model, trace),
    toolMiddleware: [tracedCalls(trace, 'runtime'), ...(config.toolMiddleware ?? [])],
  };
}

function tracedModel(model: Model, trace: AgentTrace): Model {
  return {
    ...factsOf(model),
    stream: (body, context) => {
      const { provider } = model.identify?.(body.model) ?? {};
      const { tracesItself = false } = model;
      return trace.chat({ body, provider, tracesItself }, () => model.stream(body, context));
    },
  };
}

/** Durable conversations with the embedded runtime, and programs that "die" in the middle of one. */
import {
  createSdkMcpServer,
  InMemorySessionStore,
  type Options,
  query,
  type SDKResultMessage,
  type ToolContext,
  tool,
} from '../../../src/index.js';
import {
  embedded,
  type Journal,
  type Model,
  memoryJournal,
  type RuntimeConfig,
} from '../../../src/runtime/index.js';
import { type Script, scriptedModel } from '../../../src/testing/index.js';
import { expectWellFormed, type Loose } from '../support.js';

export interface World {
  readonly journal: Journal;
  readonly store: InMemorySessionStore;
  /** What the tools have done, in order. */
  readonly effects: string[];
  readonly keys: (string | undefined)[];
}

export function world(journal: Journal = memoryJournal()): World {
  return { journal, store: new InMemorySessionStore(), effects: [], keys: [] };
}

type Extras = NonNullable<Parameters<typeof tool>[4]>;

/** A server "s" with the tool `pay`, which has an effect, and what more it is given. */
export function shop(
  { effects, keys }: World,
  extras: Extras = {},
  handler = async (_context: ToolContext): Promise<unknown> => undefined,
) {
  const schema = { type: 'object', properties: {}, additionalProperties: true } as const;
  const pay = tool(
    'pay',
    'Pays',
    schema,
    async (_args, context) => {
      keys.push(context.idempotencyKey);
      effects.push('paid');
      return ((await handler(context)) as string | undefined) ?? 'Paid.';
    },
    extras,
  );
  return createSdkMcpServer({ name: 's', tools: [pay], alwaysLoad: true });
}

export interface Run {
  messages: Loose[];
  result: SDKResultMessage;
  results: Loose[];
  error: unknown;
  model: ReturnType<typeof scriptedModel>;
}

/** One program: a query to its end. */
export async function program(
  prompt: string,
  script: Script,
  { journal, store }: World,
  options: Options,
  config: Partial<RuntimeConfig> = {},
  change?: (events: Events) => Events,
): Promise<Run> {
  const model = scriptedModel(script);
  const runtime = embedded({
    model: change === undefined ? model : changed(model, change),
    journal,
    ...config,
  });
  const messages: Loose[] = [];
  let error: unknown;
  try {
    const all = query({
      prompt,
      options: {
        cwd: '/work',
        allowedTools: ['mcp__s__*'],
        throwOnErrorResult: false,
        sessionStore: store,
        ...options,
        runtime,
      },
    });
    for await (const message of all) messages.push(message as unknown as Loose);
  } catch (thrown) {
    error = thrown;
  }
  for (const request of model.requests) expectWellFormed(request.messages);
  const results = messages.filter(({ type }) => type === 'result');
  return { messages, results, result: results.at(-1) as unknown as SDKResultMessage, error, model };
}

type Events = ReturnType<Model['stream']>;

/** The model with another first answer. */
function changed(model: Model, change: (events: Events) => Events): Model {
  let isFirst = true;
  return {
    name: model.name,
    stream: (request, context) => {
      const events = model.stream(request, context);
      const answer = isFirst ? change(events) : events;
      isFirst = false;
      return answer;
    },
  };
}

/** The input of the answer's call is no JSON. */
export async function* garbled(events: Events): Events {
  for await (const event of events) {
    const isInput = event.type === 'content_block_delta' && event.delta.type === 'input_json_delta';
    yield isInput ? { ...event, delta: { type: 'input_json_delta', partial_json: '{"a' } } : event;
  }
}

/** The answer breaks off after its first block. */
export async function* brokenOff(events: Events): Events {
  for await (const event of events) {
    yield event;
    if (event.type === 'content_block_stop') throw new Error('the line is dead');
  }
}

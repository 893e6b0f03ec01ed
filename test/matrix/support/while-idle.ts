/** Scenarios in which the host asks something of an idle agent. */
import type { Query, SDKMessage, SDKUserMessage } from '../../../src/index.js';
import { outcomeOf } from './run-scenario.js';
import { says } from './says.js';
import type { Context, Scenario } from './scenario.js';

/** The id of the first message of the user. */
export const FIRST = '11111111-1111-4111-8111-111111111111';

export function nthResult(context: Context, nth: number): Promise<SDKMessage> {
  return context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);
}

/** One turn, then these steps while the agent is idle, then perhaps another turn, then the end. */
export function whileIdle(
  steps: Readonly<Record<string, (query: Query, context: Context) => Promise<unknown>>>,
  andThen?: string,
): Pick<Scenario, 'prompt' | 'drive'> {
  return {
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go', { uuid: FIRST });
      await context.calls.waitFor(({ name }) => name === 'steps done', 'the end of the steps');
      if (andThen === undefined) return;
      yield says(andThen);
      await nthResult(context, 2);
    },
    drive: async (query, context) => {
      await nthResult(context, 1);
      const outcomes: Record<string, unknown> = {};
      for (const [name, step] of Object.entries(steps))
        outcomes[name] = await outcomeOf(step(query, context));
      context.note('steps done');
      return outcomes;
    },
  };
}

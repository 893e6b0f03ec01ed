/** What happens when a conversation is to become shorter. */
import { expect } from 'vitest';
import type { HookInput, Options, SDKUserMessage } from '../../../src/index.js';
import { text } from '../../../src/testing/index.js';
import { results } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

/** Both agents ask for a summary in these words. */
const isForSummary = (message: unknown) => /text only/i.test(JSON.stringify(message));

const nthResult = (context: Context, nth: number) =>
  context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);

/** Notes the calls that a compaction makes. */
function hooks({ note }: Context): Options['hooks'] {
  const hook = async (input: HookInput) => {
    if (input.hook_event_name !== 'SessionStart' || input.source === 'compact')
      note(input.hook_event_name, input);
    return {};
  };
  const entry = [{ hooks: [hook] }];
  return { PreCompact: entry, SessionStart: entry, PostCompact: entry };
}

const lastRequest = (outcome: Outcome) => JSON.stringify(outcome.requests.at(-1)?.body.messages);

export const context: readonly Scenario[] = [
  {
    name: 'a conversation that is compacted on demand',
    cites: 's17-compact-manual, R44',
    script: (request, index) =>
      isForSummary(request.messages.at(-1))
        ? text('<summary>They spoke of plums.</summary>')
        : text(`Answer ${index}.`),
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('one plum');
      await nthResult(context, 1);
      yield says('/compact keep the fruit');
      await nthResult(context, 2);
      yield says('what now?');
      await nthResult(context, 3);
    },
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    check: (outcome) => {
      expect(outcome.calls.map(({ name }) => name)).toEqual(['PreCompact', 'SessionStart', 'PostCompact']);
      expect(results(outcome)).toMatchObject([
        { num_turns: 1 },
        { num_turns: 0, result: '' },
        { num_turns: 1 },
      ]);
      expect(lastRequest(outcome)).toContain('They spoke of plums.');
      expect(lastRequest(outcome)).not.toContain('one plum');
    },
  },
];
